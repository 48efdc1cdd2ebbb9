"""The shifted test distributions of a comparison (`shift.*`)."""

import dataclasses

from experiments.regression.comparison.settings import Comparison
from lab.errors import ConfigError
from tasks.catalogue import TASKS
from tasks.shift import Shift, Shifted
from tasks.synthetic import Synthetic
from tasks.task import Task

NUMERIC = ("alpha", "teacher", "noise", "law")  # numbers of a shift; the other axis, num_context, changes shapes


def require(settings: Comparison) -> None:
    """Check that the task can be shifted as the settings ask.

    Raises:
        ConfigError: the task draws its episodes by its own method, and a shift would replace that.
    """
    task = TASKS[settings.task.name]
    moved = [axis for axis in NUMERIC if getattr(settings.shift, axis)]
    if moved and getattr(task, "sample", None) is not Synthetic.sample:
        raise ConfigError(
            f"shift.{moved[0]}: task={settings.task.name} has a method sample of its own, and shifts know those tasks "
            "that define inputs and teacher alone; leave it out"
        )


def places(settings: Comparison) -> list[tuple[str, object]]:
    """Return (axis, value) of every shift, in the order of `tasks`."""
    return [(axis, value) for axis in (*NUMERIC, "num_context") for value in getattr(settings.shift, axis)]


def tasks(settings: Comparison, task: Task) -> list[Task]:
    """Return the shifted task for each of `places`. Those that differ in numbers alone have one structure and share a
    program."""
    return [_at(settings, task, axis, value) for axis, value in places(settings)]


def _at(settings: Comparison, task: Task, axis: str, value) -> Task:
    if axis not in NUMERIC:
        assert dataclasses.is_dataclass(task)  # all tasks are
        return dataclasses.replace(task, **{axis: value})
    assert isinstance(task, Synthetic)  # `require` refuses other tasks
    documents = value / task.scale if axis == "alpha" and settings.shift.documents else 1.0
    return Shifted(task, Shift.of(task, documents=documents, **{axis: value}))
