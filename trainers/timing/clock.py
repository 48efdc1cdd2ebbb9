"""Compiling and timing.

Programs that are compared run once per round, one after the other, so that what else the machine does meets all of
them. Every second round has the reverse order: a machine that gets slower within a round then favours no program.
"""

import time
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from typing import TypeVar

import jax

from lab.runs import interrupt

Name = TypeVar("Name", bound=Hashable)


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


def in_turns(programs: Mapping[Name, tuple[Callable, int]], rounds: int) -> Iterator[tuple[int, Name, float]]:
    """The round, the program, and its seconds per step, of programs of so many steps each, as they are measured."""
    for turn, name in turns(programs, rounds):
        program, steps = programs[name]
        yield turn, name, seconds_of(program) / steps


def turns(names: Collection[Name], rounds: int) -> Iterator[tuple[int, Name]]:
    """Each round, and who is next in it."""
    for turn in range(rounds):
        interrupt.check()
        for name in list(names) if turn % 2 == 0 else reversed([*names]):
            yield turn, name
