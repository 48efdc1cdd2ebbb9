"""The test distributions of a configuration (`shift.*`)."""

import dataclasses

from lab.config.comparison import Comparison
from tasks.shift import Shift, Shifted
from tasks.task import Task

NUMERIC = ("alpha", "teacher", "noise", "law")  # the others change shapes


def places(settings: Comparison) -> list[tuple[str, object]]:
    """(axis, value) of every shift, in the order of `tasks`."""
    return [(axis, value) for axis in (*NUMERIC, "num_context") for value in getattr(settings.shift, axis)]


def tasks(settings: Comparison, task: Task) -> list[Task]:
    """The task at each place. Those that differ in numbers are of one structure: one program evaluates them all."""
    return [_at(settings, task, axis, value) for axis, value in places(settings)]


def _at(settings: Comparison, task: Task, axis: str, value) -> Task:
    if axis not in NUMERIC:
        return dataclasses.replace(task, **{axis: value})
    documents = value / task.scale if axis == "alpha" and settings.shift.documents else 1.0
    return Shifted(task, Shift.of(task, documents=documents, **{axis: value}))
