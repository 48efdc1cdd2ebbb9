"""Conversion of cells to times and labels, with messages that name the line of a wrong cell."""

import datetime
from typing import NamedTuple

import numpy as np

from tasks.datasets.cells import number_in, whole_in
from tasks.errors import DataError
from tasks.logs.settings import ClickCsv, ItemCsv

SHOWN = 30  # the most characters of a wrong cell that a message shows
INT64 = np.iinfo(np.int64)
EPOCH, MICROSECOND = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC), datetime.timedelta(microseconds=1)


class Block(NamedTuple):
    """Some rows of a file: the number of each row's line, and {column: its cells} of the columns that are needed."""

    lines: list[int]
    cells: dict[str, list[str]]


def check_filled(key: str, column: str, codes: np.ndarray, block: Block) -> None:
    """Check that a column has no empty cell.

    Args:
        key: the setting that names the column. codes: (r,) `Codes.encode` of the cells, below zero for an empty one.

    Raises:
        DataError: there is an empty cell.
    """
    if (codes < 0).any():
        raise DataError(f"data.{key}={column}: line {block.lines[np.argmin(codes)]} has no {key}")


class Times:
    """The reader of a file's column of times: whole numbers as they are, or dates in microseconds since 1970."""

    def __init__(self, settings: ClickCsv | ItemCsv):
        self.column, self.are_dates = settings.time, None

    def __call__(self, block: Block) -> np.ndarray:
        """Return the times of a block's rows (r,) int64.

        Raises:
            DataError: a cell is no whole number that fits into 64 bits, or, where the file's first is a date, no date.
        """
        cells = block.cells[self.column]
        if self.are_dates is None:
            self.are_dates = whole_in(cells[0]) is None and date_in(cells[0]) is not None
        parsed = [*map(date_in if self.are_dates else whole_in, cells)]
        for time, cell, line in zip(parsed, cells, block.lines, strict=True):
            if time is None or not INT64.min <= time <= INT64.max:
                number = "a whole number below 2^63, or throughout the file a date in ISO 8601"
                raise _wrong("time", self.column, cell, line, "a date as the first" if self.are_dates else number)
        return np.array(parsed, np.int64)


def date_in(cell: str) -> int | None:
    """Return the microseconds since 1970 of a date in ISO 8601, of UTC where it names no zone, or None.

    >>> date_in("1970-01-01T00:00:01.5Z"), date_in("1970-01-02"), date_in("Monday")
    (1500000, 86400000000, None)
    """
    try:
        date = datetime.datetime.fromisoformat(cell)
    except ValueError:
        return None
    return ((date if date.tzinfo else date.replace(tzinfo=datetime.UTC)) - EPOCH) // MICROSECOND


def labels(settings: ClickCsv | ItemCsv, block: Block) -> np.ndarray:
    """Return the labels of a block's rows (r,) bool: true for 1, or for `label_at_least` and more if that is set.

    Raises:
        DataError: a cell is not a number, or without `label_at_least` is neither 0 nor 1.
    """
    cells = block.cells[settings.label]
    values = np.fromiter(map(number_in, cells), np.float64, len(cells))
    if settings.label_at_least is None:
        wrong = (values != 0) & (values != 1)
        expected = "0 or 1; with data.label_at_least=VALUE any number will do"
    else:
        wrong, expected = ~np.isfinite(values), "a number"
    if wrong.any():
        first = int(np.argmax(wrong))
        raise _wrong("label", settings.label, cells[first], block.lines[first], expected)
    return values >= (1 if settings.label_at_least is None else settings.label_at_least)


def _wrong(key: str, column: str, cell: str, line: int, expected: str) -> DataError:
    quoted = cell if len(cell) <= SHOWN else f"{cell[:SHOWN]}..."
    return DataError(f"data.{key}={column}: line {line} has {quoted!r}, which is not {expected}")
