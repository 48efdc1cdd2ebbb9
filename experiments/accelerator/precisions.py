"""The precisions of products of float32 matrices that a device may be asked for, and their units of rounding.

`jax.default_matmul_precision` is a request: a device computes at least as precisely, and a CPU always in float32.
"""

UNITS = {"float32": 2.0**-24, "tensorfloat32": 2.0**-11, "bfloat16": 2.0**-8}  # of 24, 11 and 8 significant bits
FLOAT32 = "float32"
UNITS_ALLOWED = 64  # of rounding: some 15 products in a row, each with sums of tens of numbers, and room


def bound_of(precision: str) -> float:
    """Return the largest relative error that a check allows at a precision."""
    return UNITS_ALLOWED * UNITS[precision]


def timed(backend: str) -> tuple[str, ...]:
    """Return the precisions at which programs are timed on a backend; a CPU has one."""
    return (FLOAT32,) if backend == "cpu" else tuple(UNITS)
