"""The code of a kind of experiment: what it must have so that its runs can be launched, resumed, swept and reported."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from lab.config.base import Base
from lab.config.kinds import KINDS, kind_of
from lab.runs.devices import make_ready

if TYPE_CHECKING:
    from trainers.record import Record


class Experiment(Protocol):
    """Settings in, tables out: the module `run` of a kind's folder, or an object of the user's own.

    It may also have `check(settings)`, which refuses settings (ConfigError) by what code alone knows, before anything
    is written; and, where other runs start from its runs, `learners(settings)`: {name: structure} of the learners that
    a run keeps, as `jax.eval_shape` gives them.
    """

    def run(self, records: "Sequence[Record]") -> None:
        """Run points that `Base.together` has grouped, and write what each leaves into its `trainers.record.Record`.

        A record that fails alone gets a `failure`; an exception stands for all of them.
        """
        ...


def experiment_of(settings: Base) -> Experiment:
    """Return what runs settings of this kind; JAX and the kind's module are imported here."""
    make_ready(settings.device)
    return KINDS[kind_of(settings)].load("run")


def check(settings: Base) -> None:
    """Let the kind's own code refuse settings.

    Raises:
        ConfigError: it does.
    """
    if (own := getattr(experiment_of(settings), "check", None)) is not None:
        own(settings)
