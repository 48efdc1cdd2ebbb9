"""Conversion of cells to times and labels, with messages that name the line of a wrong cell."""

from typing import NamedTuple

import numpy as np

from tasks.datasets.cells import number_in, whole_in
from tasks.errors import DataError
from tasks.logs.settings import ClickCsv, ItemCsv

SHOWN = 30  # the most characters of a wrong cell that a message shows
INT64 = np.iinfo(np.int64)


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


def times(settings: ClickCsv | ItemCsv, block: Block) -> np.ndarray:
    """Return the times of a block's rows (r,) int64.

    Raises:
        DataError: a cell is not a whole number that fits into 64 bits.
    """
    cells = block.cells[settings.time]
    whole = [*map(whole_in, cells)]
    for time, cell, line in zip(whole, cells, block.lines, strict=True):
        if time is None or not INT64.min <= time <= INT64.max:
            raise _wrong("time", settings.time, cell, line, "a whole number below 2^63 (for dates: seconds since 1970)")
    return np.array(whole, np.int64)


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
