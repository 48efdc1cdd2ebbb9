"""Functions that XLA's CPU code computes once each and keeps.

XLA fuses a chain of cheap operations into what uses its result, and computes it anew for every use: of a chain of
products or of a hash, which cost many operations a number, that is many times the work. What is called by `apart` is a
function of the compiled program, into which nothing is fused and which is fused into nothing.
"""

import functools
from collections.abc import Callable

import jax
from jax.experimental.xla_metadata import set_xla_metadata


def apart(function: Callable) -> Callable:
    """The same function of arrays, compiled apart. An accelerator, which fuses otherwise, gets it as it is."""
    jitted = jax.jit(function)

    @functools.wraps(function)
    def called(*arguments):
        if jax.default_backend() != "cpu":
            return function(*arguments)
        with set_xla_metadata(inlineable="false"):
            return jitted(*arguments)

    return called
