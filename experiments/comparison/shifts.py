"""The test distributions of a configuration (`shift.*`)."""

import dataclasses

from experiments.comparison.settings import Comparison
from lab.errors import ConfigError
from tasks.catalogue import TASKS
from tasks.shift import Shift, Shifted
from tasks.synthetic import Synthetic
from tasks.task import Task

NUMERIC = ("alpha", "teacher", "noise", "law")  # the others change shapes


def require(settings: Comparison) -> None:
    """
    Raises:
        ConfigError: the task's episodes are drawn in a way of its own, so a shifted one would be another task's.
    """
    task = TASKS[settings.task.name]
    moved = [axis for axis in NUMERIC if getattr(settings.shift, axis)]
    if moved and getattr(task, "sample", None) is not Synthetic.sample:
        raise ConfigError(
            f"shift.{moved[0]}: task={settings.task.name} has a method sample of its own, and shifts know those tasks "
            "that define inputs and teacher alone; leave it out"
        )


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
