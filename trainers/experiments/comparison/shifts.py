"""The test distributions of a configuration (`shift.*`)."""

import dataclasses

from lab.config.comparison import Config
from tasks.shift import Shift, Shifted
from tasks.task import Task

NUMERIC = ("alpha", "teacher", "noise", "law")  # the others change shapes


def places(config: Config) -> list[tuple[str, object]]:
    """(axis, value) of every shift, in the order of `tasks`."""
    return [(axis, value) for axis in (*NUMERIC, "num_context") for value in getattr(config.shift, axis)]


def tasks(config: Config, task: Task) -> list[Task]:
    """The task at each place. Those that differ in numbers are of one structure: one program evaluates them all."""
    return [_at(config, task, axis, value) for axis, value in places(config)]


def _at(config: Config, task: Task, axis: str, value) -> Task:
    if axis not in NUMERIC:
        return dataclasses.replace(task, **{axis: value})
    documents = value / task.scale if axis == "alpha" and config.shift.documents else 1.0
    return Shifted(task, Shift.of(task, documents=documents, **{axis: value}))
