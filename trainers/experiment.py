"""The interface of a kind's code, by which its runs are launched, resumed, swept and reported."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from lab.config.base import Base
from lab.config.kinds import KINDS, kind_of
from lab.runs.devices import make_ready

if TYPE_CHECKING:
    from trainers.record import Record


class Experiment(Protocol):
    """Settings in, tables out: the module `run` of a kind's folder, or an object of the user's own.

    It may also have `check(settings)`, which refuses settings (ConfigError) for reasons that only code can find, before
    anything is written; and, where other runs start from its runs, `learners(settings)`: {name: structure} of the
    learners that a run keeps, as `jax.eval_shape` gives them.
    """

    def run(self, records: "Sequence[Record]") -> None:
        """Run the points of a group (`Base.together`), and write each one's results into its `trainers.record.Record`.

        A record that fails alone gets a `failure`; an exception fails all of them.
        """
        ...


def experiment_of(settings: Base) -> Experiment:
    """Return the code that runs settings of this kind. This imports JAX and the kind's module."""
    make_ready(settings.device)
    return KINDS[kind_of(settings)].load("run")


def check(settings: Base) -> None:
    """Check settings by the kind's own code.

    Raises:
        ConfigError: the kind refuses them.
    """
    if (own := getattr(experiment_of(settings), "check", None)) is not None:
        own(settings)
