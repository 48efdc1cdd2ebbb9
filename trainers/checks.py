"""The checks of a command line, and of the runs that it starts from, before anything is run."""

from analysis import figures
from lab.config.points import Point
from lab.errors import ConfigError
from lab.runs import console, tracker, validity
from trainers import experiment
from trainers.sweep_files import figure_of


def check(each: Point) -> None:
    """Check a point's name, figure and tracker, and let its kind's code check the settings unless the run is done.

    Raises:
        ConfigError: the point has no name, its figure or tracker cannot be used, or its kind refuses the settings.
    """
    figure, has_points = figure_of(each), each.settings.has_points
    tracker.require(each.settings.tracker)
    if not each.settings.name:
        raise ConfigError(f"a run that others start from needs a name: {console.command(each.words)}")
    if figure and figure not in figures.names():
        raise ConfigError(f"figure={figure}: no such figure; allowed: {', '.join(figures.names())}")
    if each.settings.figure and figures.needs_points(figure) and not has_points:
        raise ConfigError(f"figure={figure}: it is of several points, and there are no parts and no grid")
    if not has_points and (each.settings.run.force or not validity.is_done(each.settings)):
        experiment.check(each.settings)
