"""Functions that XLA's CPU code computes once and stores, instead of once per use of their result.

XLA fuses a chain of cheap operations into every operation that uses its result, and so computes it once per use. For a
chain of products or a hash, which take many operations per number, this is many times the work. A function that is
decorated with `apart` becomes a function of its own in the compiled program and is not fused with anything.
"""

import functools
from collections.abc import Callable

import jax
from jax.experimental.xla_metadata import set_xla_metadata


def apart(function: Callable) -> Callable:
    """Return the same function of arrays, compiled separately on a CPU and unchanged on accelerators, which fuse
    differently."""
    jitted = jax.jit(function)

    @functools.wraps(function)
    def called(*arguments):
        if jax.default_backend() != "cpu":
            return function(*arguments)
        with set_xla_metadata(inlineable="false"):
            return jitted(*arguments)

    return called
