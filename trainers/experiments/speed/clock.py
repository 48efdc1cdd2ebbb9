"""Compiling and timing."""

import time
from collections.abc import Callable

import jax


def compiled(function: Callable, *arguments, **options) -> tuple[Callable, float]:
    """The program, and the seconds that tracing, lowering and compiling it took."""
    begun = time.perf_counter()
    program = jax.jit(function, **options).lower(*arguments).compile()
    return program, time.perf_counter() - begun


def seconds_of(call: Callable) -> float:
    """Until all that the call gives is there."""
    begun = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - begun


def how_many(seconds: float, call: Callable) -> int:
    """How many times the work of a call fits into so many seconds, at least once. The first call is a rehearsal."""
    seconds_of(call)
    return max(1, round(seconds / min(seconds_of(call) for _ in range(3))))
