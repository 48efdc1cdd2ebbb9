"""Finds the runs that are done, by what their directories hold, and says and shows what they are. No JAX here."""

from analysis.report.untrusted import check_summary
from lab.config.points import Point
from lab.runs import console, validity
from lab.runs.directory import RunDirectory
from lab.runs.trackers import catalogue as trackers
from trainers.sweep_files import present_again


def unfinished(points: list[Point]) -> list[Point]:
    """Return the runs that are not done, each once; parts may share a run.

    The others are named on the terminal, and shown in the figure and the tracker that the settings ask for.
    """
    left, places = [], set()
    for each in points:
        directory = RunDirectory.of(each.settings)
        if directory.path in places:
            continue
        places.add(directory.path)
        directory.settle(each.settings)
        reopen_outdated([each])
        if directory.done and not each.settings.run.force:
            check_summary(directory)
            console.already_done(directory)
            say_other_code(each)
            trackers.track_finished(each.settings, directory)
            present_again(each, directory)
        else:
            left.append(each)
    return left


def _is_outdated(each: Point) -> bool:
    """Return whether a finished run is not what its settings make today, and say why on the terminal."""
    directory = RunDirectory.of(each.settings)
    if why := validity.why_other(directory, each.settings):
        console.say(f"{directory.path}: run again, as {why}")
    return bool(why)


def say_other_code(each: Point) -> None:
    """Say of a finished run that other code made it, where it did."""
    directory = RunDirectory.of(each.settings)
    if other := validity.other_code(directory, each.settings):
        console.say(f"note: {directory.path} was {other}; run.force=true repeats it")


def reopen_outdated(points: list[Point]) -> None:
    """Let finished runs that are not what their settings make today be unfinished. Those to be repeated by force stay
    until there is another result."""
    for each in points:
        directory = RunDirectory.of(each.settings)
        if directory.done and not each.settings.run.force and _is_outdated(each):
            with directory.locked(each.settings):
                directory.reopen()
