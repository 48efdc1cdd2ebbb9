"""The trained decoders that a run starts from, and the task that they are tested on."""

from collections.abc import Sequence
from typing import TypeVar

from lab.config.base import Base
from lab.config.compose import compose_run
from lab.config.decoder import TrainsDecoder
from lab.config.kinds import kind_of
from lab.config.training import seeds_of
from lab.errors import ConfigError, UserError
from lab.learners.decoder import Decoder
from lab.learners.learner import Learner
from tasks.catalogue import TASKS, task_of
from tasks.classification import Classification
from tasks.task import Task
from trainers.record import Record

C = TypeVar("C")  # a class of settings, or a protocol of what is read of them
T = TypeVar("T", bound=Task)
L = TypeVar("L", bound=Learner)


def settings_of(words: list[str], expected: type[C]) -> C:
    """Return the settings of a run that another run starts from.

    Args:
        words: the overrides of that run.
        expected: the class of its settings, or a protocol that they follow.

    Raises:
        ConfigError: they are of another class.
    """
    settings = compose_run(words)
    if not isinstance(settings, expected):
        raise ConfigError(f"{' '.join(words)}: a run of the kind {kind_of(settings)} is none to start from here")
    return settings


def check(command: list[str], kind: str, words: Sequence[str] = ()) -> None:
    """Refuse settings that would fail only after the decoders of classifications have been trained.

    Args:
        command: the overrides of the run that trains the decoders, its experiment first.
        kind: the kind whose runs keep such decoders.
        words: overrides of the task, for the task to test on.

    Raises:
        ConfigError: the experiment is of another kind or has no classes, or an override is not about a key of the task.
    """
    if wrong := [word for word in words if not word.startswith("task.")]:
        raise ConfigError(f"test=[{wrong[0]}]: it changes the task to test on: allowed are words task.KEY=VALUE")
    maker = compose_run(command)
    if not (keeps(maker, kind) and isinstance(maker, TrainsDecoder)):
        raise ConfigError(f"model.{command[0]}: it keeps no decoder; one of the kind {kind} does")
    if not issubclass(TASKS[maker.task.name], Classification):
        raise ConfigError(f"model: {' '.join(command)} is no classification; accuracies are compared")
    compose_run([*command, *words])


def keeps(maker: Base, kind: str) -> bool:
    """Return whether the settings are a single run of a kind, which stores its trained learners."""
    return not maker.has_points and kind_of(maker) == kind


def learner(record: Record, words: list[str], name: str, expected: type[L], member: int = 0) -> L:
    """Return a learner that another run has stored, of the expected class.

    Args:
        words: the overrides of that run. name: the learner's name. member: the index of the run's seed.

    Raises:
        UserError: the run stores no such learner, or it is damaged or of another class.
    """
    kept_learner = record.trained(words, member)[name]
    if not isinstance(kept_learner, expected):
        raise UserError(f"{' '.join(words)}: its {name} is no {expected.__name__}, which is needed here")
    return kept_learner


def decoders(record: Record, command: list[str], expected: type[L] = Decoder) -> dict[int, L]:
    """Return {seed: decoder} of all seeds of the run that trained them.

    Raises:
        UserError: as `learner`.
    """
    seeds = seeds_of(compose_run(command))
    return {seed: learner(record, command, "decoder", expected, i) for i, seed in enumerate(seeds)}


def task_to_test(command: list[str], words: list[str], expected: type[T]) -> T:
    """Return the task that the decoders were trained on, changed by the overrides `words`.

    Raises:
        TaskError: the task is not of the class `expected`.
    """
    return task_of(settings_of([*command, *words], TrainsDecoder).task, expected)
