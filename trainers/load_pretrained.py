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
    """Return the settings of the run that others start from.

    Args:
        words: the command line of that run.
        expected: the class of its settings, or a protocol that they follow.

    Raises:
        ConfigError: they are of another class.
    """
    settings = compose_run(words)
    if not isinstance(settings, expected):
        raise ConfigError(f"{' '.join(words)}: a run of the kind {kind_of(settings)} is none to start from here")
    return settings


def check(command: list[str], kind: str, words: Sequence[str] = ()) -> None:
    """Refuse what would fail after the decoders of classifications have been trained.

    Args:
        command: the words of the run that trains them; first of all, its experiment.
        kind: whose runs keep such decoders.
        words: what the task to test on differs in.

    Raises:
        ConfigError: the experiment is of another kind or has no classes, or a word is not about the task.
        ConfigError: a word names no key of the task.
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
    """Return whether these are the settings of one run of a kind, which keeps what it trains."""
    return not maker.has_points and kind_of(maker) == kind


def learner(record: Record, words: list[str], name: str, expected: type[L], member: int = 0) -> L:
    """Return a learner that another run has kept, of the class that is asked for.

    Args:
        words: the command line of that run. name: of the learner. member: which of the run's seeds.

    Raises:
        UserError: the run keeps none, what it kept is damaged, or it is of another class.
    """
    kept_learner = record.trained(words, member)[name]
    if not isinstance(kept_learner, expected):
        raise UserError(f"{' '.join(words)}: its {name} is no {expected.__name__}, which is needed here")
    return kept_learner


def decoders(record: Record, command: list[str], expected: type[L] = Decoder) -> dict[int, L]:
    """Return {seed: decoder} of all seeds of the run that made them.

    Raises:
        UserError: as `learner`.
    """
    seeds = seeds_of(compose_run(command))
    return {seed: learner(record, command, "decoder", expected, i) for i, seed in enumerate(seeds)}


def task_to_test(command: list[str], words: list[str], expected: type[T]) -> T:
    """Return the task that the decoders were trained on, with what `words` change of it.

    Raises:
        TaskError: it is none of the class `expected`.
    """
    return task_of(settings_of([*command, *words], TrainsDecoder).task, expected)
