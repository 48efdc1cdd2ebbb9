"""Runs at work: which of them are not done, and what becomes of those that were run."""

import contextlib
from collections.abc import Iterator

from analysis.report.present import present
from analysis.report.sent import check_summary
from lab.config.points import Point
from lab.runs import console, own_files
from lab.runs.directory import RunDirectory
from lab.runs.trackers import catalogue as trackers
from trainers import keep
from trainers.record import Record
from trainers.sweep_files import figure_of, present_again


def unfinished(points: list[Point]) -> list[Record]:
    """Of those that are not done; the others are said, and shown in the figure and the tracker that is asked for. Parts
    may share a run."""
    records, places = [], set()
    for each in points:
        directory = RunDirectory.of(each.settings)
        if directory.path in places:
            continue
        places.add(directory.path)
        if own_files.is_repeated(directory.path):  # and was killed when it took the place of the earlier result
            with directory.locked(each.settings):
                directory.settle()
        if directory.done and not each.settings.run.force:
            check_summary(directory)
            console.already_done(directory)
            trackers.track_finished(each.settings, directory)
            if directory.read_summary()["figure"] != figure_of(each):
                present_again(each, directory)
        else:
            records.append(Record(each.settings, console.command(each.words)))
    return records


@contextlib.contextmanager
def at_work(records: list[Record]) -> Iterator[None]:
    """Nobody else works in the records' directories meanwhile; what did not fail is then presented and DONE."""
    with contextlib.ExitStack() as locks:
        for record in records:
            locks.enter_context(record.at_work())
            if record.settings.run.force:
                record.checkpoints.clear()
                record.partial.clear()
        yield
        with console.busy("figures and report"):
            for record in records:
                if record.failure is None:
                    _finish(record)


def _finish(record: Record) -> None:
    record.finish()
    record.partial.clear()
    present(record.directory)
    record.directory.finish()
    record.take_place()
    if record.checkpoints.steps:
        record.checkpoints.keep_newest()
        keep.announce(record.directory, record.settings)
