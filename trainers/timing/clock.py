"""Compiling and timing of programs."""

import time
from collections.abc import Callable

import jax


def compiled(function: Callable, *arguments, **options) -> jax.stages.Compiled:
    """Return the compiled program.

    Args:
        arguments: those that the program will be called with, or others of the same shapes and types.
        options: of `jax.jit`.
    """
    return jax.jit(function, **options).lower(*arguments).compile()


def seconds_of(call: Callable) -> float:
    """Return the seconds that a call takes until all of its result is computed."""
    begun = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - begun


def how_many(seconds: float, call: Callable) -> int:
    """Return how many calls fit into so many seconds, at least 1. A first call, which is slower, is not timed."""
    seconds_of(call)
    return max(1, round(seconds / min(seconds_of(call) for _ in range(3))))
