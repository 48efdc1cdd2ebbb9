"""Runs `analysis.metrics.answers.evaluate` within a session, whose compiled programs and episodes are used again."""

from collections.abc import Callable
from typing import TypeVar

import jax

from analysis.metrics.answers import Runner
from tasks.episode import Episode
from tasks.task import Task
from trainers.programs import Programs

R = TypeVar("R")


class SessionRunner(Runner):
    """Runs `evaluate` with the programs of a session.

    Args:
        group_sizes: {structure: how many learners a program takes}. The first call fills it in with as many as it has,
            so that its program serves all later calls.
        blocks: {index: block of episodes} drawn so far, to which new blocks are added; None: blocks are not stored.
    """

    def __init__(self, programs: Programs, group_sizes: dict, blocks: dict[int, Episode] | None = None):
        self._programs, self._group_sizes, self._blocks = programs, group_sizes, blocks

    def run(self, name: str, function: Callable[..., R], *arguments) -> R:
        return self._programs.run("evaluate", name, function, *arguments)

    def at_a_time(self, name: str, function: Callable, *arguments) -> int:
        return self._programs.fit(name, function, *arguments)

    def group_size(self, structure: object, count: int) -> int:
        return self._group_sizes.setdefault(structure, count)

    def draw(self, task: Task, key: jax.Array, index: int, size: int) -> Episode:
        if self._blocks is None:
            return super().draw(task, key, index, size)
        if index not in self._blocks:
            self._blocks[index] = super().draw(task, key, index, size)
        return self._blocks[index]
