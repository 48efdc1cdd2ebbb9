"""What experiments that start from trained decoders share: these, the task to test on, and numbers over seeds."""

import math
import statistics
from collections.abc import Sequence

from lab.config.compose import compose_run
from lab.config.trained import Trained
from lab.learners.decoder import Decoder
from tasks.catalogue import TASKS
from tasks.task import Task
from trainers.record import Record


def decoders(record: Record, model: Trained) -> dict[int, Decoder]:
    """{seed: decoder} of all seeds of the run that made them.

    Raises:
        UserError: the run keeps none, or what it kept is damaged.
    """
    first = compose_run(model.command).seed
    return {first + i: record.trained(model.command, member=i)["decoder"] for i in range(model.seeds)}


def task_of(model: Trained, words: list[str]) -> Task:
    """The task that the decoders were trained on, with what `words` change of it."""
    settings = compose_run([*model.command, *words]).task
    return TASKS[settings.name].together([settings])[0]


def mean_over_seeds(name: str, values: Sequence[float | None]) -> dict[str, float | None]:
    """{name: the mean of the values that are known, name.stderr: its standard error over seeds}."""
    known = [value for value in values if value is not None]
    if not known:
        return {name: None}
    mean = {name: statistics.fmean(known)}
    if len(known) < 2:
        return mean
    return mean | {f"{name}.stderr": statistics.stdev(known) / math.sqrt(len(known))}
