"""The trained decoders that a run starts from, and the task that they are tested on."""

from collections.abc import Sequence

from lab.config.base import Base
from lab.config.compose import compose_run
from lab.config.kinds import kind_of
from lab.config.trained import Trained
from lab.errors import ConfigError
from lab.learners.decoder import Decoder
from tasks.catalogue import TASKS
from tasks.classification import Classification
from tasks.task import Task
from trainers.record import Record


def check(model: Trained, kind: str, words: Sequence[str] = ()) -> None:
    """Refuse what would fail after the decoders of classifications have been trained.

    Args:
        kind: whose runs keep such decoders.
        words: what the task to test on differs in.

    Raises:
        ConfigError: the experiment is of another kind or has no classes, or a word is not about the task.
        HydraException: a word names no key of the task.
    """
    if wrong := [word for word in words if not word.startswith("task.")]:
        raise ConfigError(f"test=[{wrong[0]}]: it changes the task to test on: allowed are words task.KEY=VALUE")
    maker = compose_run(model.command)
    if not keeps(maker, kind):
        raise ConfigError(f"model.experiment={model.experiment}: it keeps no decoder; one of the kind {kind} does")
    if not issubclass(TASKS[maker.task.name], Classification):
        raise ConfigError(f"model: {' '.join(model.command)} is no classification; accuracies are compared")
    compose_run([*model.command, *words])


def keeps(maker: Base, kind: str) -> bool:
    """Return whether these are the settings of one run of a kind, which keeps what it trains."""
    return not maker.has_points and kind_of(maker) == kind


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
