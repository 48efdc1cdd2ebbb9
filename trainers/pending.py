"""Runs at work: their records, locks and memory errors, and their completion."""

import contextlib
from collections.abc import Callable, Iterator

from analysis.report.present import draw, judge
from lab.config.base import Base
from lab.config.largest import to_lower
from lab.config.points import Point
from lab.errors import TooLarge, writing
from lab.runs import console
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process
from lab.runs.memory import enough_memory, refuse_large_programs
from trainers import learner_store
from trainers.record import Record


def records_of(points: list[Point]) -> list[Record]:
    """Return a record for each run."""
    return [Record(each.settings, console.command(each.shown_words)) for each in points]


@contextlib.contextmanager
def at_work(
    records: list[Record], show: Callable[[RunDirectory], None] = lambda directory: None
) -> Iterator[list[Record]]:
    """Lock the records' directories, and yield the runs that no other process has finished meanwhile. At
    the end judge and draw those that did not fail, and mark them DONE.

    Args:
        show: called with a directory that is judged and not drawn yet, since drawing takes seconds.
    """
    with contextlib.ExitStack() as locks:
        if records:  # most errors of a disk concern all of them
            locks.enter_context(writing(f"the files of {records[0].directory.path}"))
        for record in records:
            locks.enter_context(record.at_work())
        left = [record for record in records if record.settings.run.force or not record.place.done]
        for record in left:
            if record.settings.run.force:
                record.checkpoints.clear()
                record.partial.clear()
        refuse_large_programs()
        with _naming_the_key(records[0].settings):
            yield left
        with console.busy("figures and report"):
            for record in left:
                if record.failure is None:
                    with writing(f"the files of {record.directory.path}"):
                        _finish(record, show)


@contextlib.contextmanager
def _naming_the_key(settings: Base) -> Iterator[None]:
    """Add the key to lower to the error of a run that is too large.

    Raises:
        TooLarge: the run is refused, or the device's memory is exhausted.
    """
    try:
        with enough_memory():
            yield
    except TooLarge as error:
        if (word := to_lower(settings, error.lengths)) is None:
            raise
        raise type(error)(f"{word}: {error}; lower it", error.lengths) from error


def _finish(record: Record, show: Callable[[RunDirectory], None]) -> None:
    record.finish()
    judge(record.directory)
    on_first_process(show)(record.directory)
    draw(record.directory)
    if record.checkpoints.steps:
        record.checkpoints.keep_newest()
        learner_store.announce(record.place, record.settings)
    record.directory.finish()
    record.partial.clear()  # not before: killed while it draws, a run is not finished and needs its parts
    record.take_place()
