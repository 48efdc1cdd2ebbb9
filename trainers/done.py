"""Finds the finished runs by their directories, and reports them on the terminal. No JAX here."""

from analysis.report.untrusted import check_summary
from lab.config.points import Point
from lab.runs import console, tracker, validity
from lab.runs.directory import RunDirectory
from trainers.sweep_files import present_again


def unfinished(points: list[Point]) -> list[Point]:
    """Return the runs that are not done, each once, as parts may share a run.

    Finished runs are named on the terminal. They get the figure and the tracker that the settings ask for.
    """
    left, paths = [], set()
    for each in points:
        directory = RunDirectory.of(each.settings)
        if directory.path in paths:
            continue
        paths.add(directory.path)
        directory.settle(each.settings)
        reopen_outdated([each])
        if directory.done and not each.settings.run.force:
            check_summary(directory)
            console.already_done(directory)
            say_other_code(each)
            tracker.track_finished(each.settings, directory)
            present_again(each, directory)
        else:
            left.append(each)
    return left


def _is_outdated(each: Point) -> bool:
    """Return whether a finished run's settings would make another result today, and print the reason."""
    directory = RunDirectory.of(each.settings)
    if why := validity.why_other(directory, each.settings):
        console.say(f"{directory.path}: run again, as {why}")
    return bool(why)


def say_other_code(each: Point) -> None:
    """Print a line if a finished run was made by other code."""
    directory = RunDirectory.of(each.settings)
    if other := validity.other_code(directory, each.settings):
        console.say(f"note: {directory.path} was {other}; run.force=true repeats it")


def reopen_outdated(points: list[Point]) -> None:
    """Turn outdated finished runs into unfinished ones. With `run.force` a result stays until the next one is done."""
    for each in points:
        directory = RunDirectory.of(each.settings)
        if directory.done and not each.settings.run.force and _is_outdated(each):
            with directory.locked(each.settings):
                if directory.done and validity.why_other(directory, each.settings):  # not made again meanwhile
                    directory.reopen()
