"""Compiling and timing of programs.

Programs that are compared run once per round, one after the other, so that other work of the machine slows all of them
alike. Every second round has the reverse order: so a machine that becomes slower within a round favours no program.
"""

import time
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from typing import TypeVar

import jax

from lab.runs import interrupt

Name = TypeVar("Name", bound=Hashable)


def compiled(function: Callable, *arguments, **options) -> tuple[jax.stages.Compiled, float]:
    """Return the compiled program, and the seconds that tracing, lowering and compiling it took.

    Args:
        arguments: those that the program will be called with, or others of the same shapes and types.
        options: of `jax.jit`.
    """
    begun = time.perf_counter()
    program = jax.jit(function, **options).lower(*arguments).compile()
    return program, time.perf_counter() - begun


def seconds_of(call: Callable) -> float:
    """Return the seconds that a call takes until all of its result is computed."""
    begun = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - begun


def how_many(seconds: float, call: Callable) -> int:
    """Return how many calls fit into so many seconds, at least 1. A first call, which is slower, is not timed."""
    seconds_of(call)
    return max(1, round(seconds / min(seconds_of(call) for _ in range(3))))


def one_round(programs: Mapping[Name, tuple[Callable, int]], turn: int) -> Iterator[tuple[Name, float]]:
    """Measure programs one after the other, every second round in reverse, and yield (name, seconds per step).

    Args:
        programs: {name: (a call without arguments, how many steps it takes)}.
    """
    for name in in_order(programs, turn):
        program, steps = programs[name]
        yield name, seconds_of(program) / steps


def turns(names: Collection[Name], rounds: int) -> Iterator[tuple[int, Name]]:
    """Yield (round, name) in the order of measurement."""
    for turn in range(rounds):
        interrupt.check()
        for name in in_order(names, turn):
            yield turn, name


def in_order(names: Collection[Name], turn: int) -> list[Name]:
    """Return the names in the order of a round: every second one is reversed."""
    return [*names] if turn % 2 == 0 else [*names][::-1]
