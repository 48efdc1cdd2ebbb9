"""Experiments that start from trained decoders: the decoders, and the task to test them on."""

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
