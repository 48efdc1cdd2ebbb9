"""The precisions of products of float32 matrices that a device may be asked for, and their units of rounding."""

from contextlib import AbstractContextManager

import jax

UNITS = {"float32": 2.0**-24, "tensorfloat32": 2.0**-11, "bfloat16": 2.0**-8}  # of 24, 11 and 8 significant bits
FLOAT32 = "float32"
UNITS_ALLOWED = 64  # of rounding: some 15 products in a row, each with sums of tens of numbers, and room
# The names above are requests, and a device computes at least as precisely: on a GPU "bfloat16" is TF32. These are not.
ON_GPU = {"float32": "F32_F32_F32", "tensorfloat32": "TF32_TF32_F32", "bfloat16": "BF16_BF16_F32"}


def in_precision(precision: str) -> AbstractContextManager:
    """Return the context in which products of float32 matrices are computed at a precision, a key of `UNITS`.

    A CPU computes them in float32 whatever is asked for.
    """
    return jax.default_matmul_precision(ON_GPU[precision] if jax.default_backend() == "gpu" else precision)


def bound_of(precision: str) -> float:
    """Return the largest relative error that a check allows at a precision."""
    return UNITS_ALLOWED * UNITS[precision]


def timed(backend: str) -> tuple[str, ...]:
    """Return the precisions at which programs are timed on a backend; a CPU has one."""
    return (FLOAT32,) if backend == "cpu" else tuple(UNITS)
