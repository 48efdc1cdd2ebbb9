"""Runs at work: which of them are not done, and what becomes of those that were run."""

import contextlib
from collections.abc import Iterator

from analysis.report.present import present
from analysis.report.untrusted import check_summary
from lab.config.points import Point
from lab.errors import writing
from lab.runs import console, own_files, validity
from lab.runs.directory import RunDirectory
from lab.runs.trackers import catalogue as trackers
from trainers import learner_store
from trainers.record import Record
from trainers.sweep_files import present_again


def unfinished(points: list[Point]) -> list[Record]:
    """Return a record for each run that is not done; parts may share a run.

    The others are named on the terminal, and shown in the figure and the tracker that the settings ask for.
    """
    records, places = [], set()
    for each in points:
        directory = RunDirectory.of(each.settings)
        if directory.path in places:
            continue
        places.add(directory.path)
        if own_files.is_repeated(directory.path):  # and was killed when it took the place of the earlier result
            with directory.locked(each.settings):
                directory.settle()
        if directory.done and not each.settings.run.force and not _is_outdated(each):
            check_summary(directory)
            console.already_done(directory)
            say_other_code(each)
            trackers.track_finished(each.settings, directory)
            present_again(each, directory)
        else:
            records.append(Record(each.settings, console.command(each.shown_words)))
    return records


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
    """Let finished runs that are not what their settings make today be unfinished, where nothing is to be run."""
    for each in points:
        if RunDirectory.of(each.settings).done and _is_outdated(each):
            RunDirectory.of(each.settings).reopen()


@contextlib.contextmanager
def at_work(records: list[Record]) -> Iterator[None]:
    """Nobody else works in the records' directories meanwhile; what did not fail is then presented and DONE."""
    with contextlib.ExitStack() as locks:
        if records:  # of several, most of a disk's errors concern all
            locks.enter_context(writing(f"the files of {records[0].directory.path}"))
        for record in records:
            locks.enter_context(record.at_work())
            if record.settings.run.force:
                record.checkpoints.clear()
                record.partial.clear()
        yield
        with console.busy("figures and report"):
            for record in records:
                if record.failure is None:
                    with writing(f"the files of {record.directory.path}"):
                        _finish(record)


def _finish(record: Record) -> None:
    record.finish()
    present(record.directory)
    record.directory.finish()
    record.partial.clear()  # not before: killed while it draws, a run is not finished and needs its parts
    record.take_place()
    if record.checkpoints.steps:
        record.checkpoints.keep_newest()
        learner_store.announce(record.directory, record.settings)
