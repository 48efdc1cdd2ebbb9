"""The interface of a kind's code, by which its runs are launched, resumed, swept and reported; and the checks of the
runs that a command line starts, before anything is run.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from analysis import figures
from lab.config.base import Base
from lab.config.kinds import KINDS, figure_of, kind_of
from lab.config.points import Point
from lab.errors import ConfigError
from lab.runs import console, tracker, validity
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


def check(each: Point) -> None:
    """Check a point's name, figure and tracker, and let its kind's code check the settings unless the run is done.

    Raises:
        ConfigError: the point has no name, its figure or tracker cannot be used, or its kind refuses the settings.
    """
    figure, has_points = figure_of(each.settings), each.settings.has_points
    tracker.require(each.settings.tracker)
    if not each.settings.name:
        raise ConfigError(f"a run that others start from needs a name: {console.command(each.words)}")
    if figure and figure not in figures.names():
        raise ConfigError(f"figure={figure}: no such figure; allowed: {', '.join(figures.names())}")
    if each.settings.figure and figures.needs_points(figure) and not has_points:
        raise ConfigError(f"figure={figure}: it is of several points, and there are no parts and no grid")
    if not has_points and (each.settings.run.force or not validity.is_done(each.settings)):
        own = getattr(experiment_of(each.settings), "check", None)
        if own is not None:
            own(each.settings)
