"""Cells of tables in text, the user's and published ones: rows of a file, and the numbers in cells."""

import csv
import difflib
import math
import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import numpy as np

from tasks.datasets.table import Table
from tasks.errors import DataError

LONGEST = 2**24  # characters of a line and of a cell; Python's reader allows 131,072
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
DIGITS = 18  # so many fit into 64 bits


def lines(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file, which need not have any, as a file of holes has none.

    Raises:
        DataError: one is longer than `LONGEST`.
    """
    while line := file.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise DataError(f"{file.name}: a line has more than {LONGEST:,} characters")
        yield line


def rows(file: TextIO, delimiter: str, **form: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its last line, cells) of every row of a file; empty lines are none.

    Args:
        form: further arguments of Python's reader.

    Raises:
        DataError, csv.Error: a line or a cell is longer than `LONGEST`, or a row cannot be cut into cells.
    """
    csv.field_size_limit(LONGEST)
    reader = csv.reader(lines(file), delimiter=delimiter, **form)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise csv.Error(f"line {reader.line_num}: {error}") from error


def delimiter_of(path: pathlib.Path) -> str:
    """Return the delimiter that cuts the header into the largest number of names: comma, semicolon or tab."""
    with open(path, encoding="utf-8-sig") as file:
        header = next((line for line in lines(file) if line.strip()), "")
    return max(",;\t", key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter), [])))


def table_rows(path: pathlib.Path, delimiter: str, **form: Any) -> Iterator[dict[str, str]]:
    """Yield {column: cell} of every row of a text table with a header; `form` as in `rows`.

    Raises:
        DataError: two columns have one name, or a row has more or fewer cells than the header; and as `rows`.
    """
    with open(path, newline="", encoding="utf-8-sig") as file:
        table = rows(file, delimiter, **form)
        header = [name.strip() for name in next(table, (0, []))[1]]
        if twice := next((name for name in header if header.count(name) > 1), None):
            raise DataError(f"{path}: two columns are called {twice!r}")
        for number, row in table:
            if len(row) != len(header):
                raise DataError(f"{path}: line {number} has {len(row)} cells, the header has {len(header)} names")
            yield dict(zip(header, row, strict=True))


def read_cells(path: pathlib.Path, delimiter: str = ",") -> dict[str, list[str]]:
    """Return {column: its cells} of a text table with a header.

    Raises:
        DataError: there are no rows, or what `table_rows` raises.
    """
    table = [*table_rows(path, delimiter, skipinitialspace=True)]
    if not table:
        raise DataError(f"{path}: the file has no rows")
    return {name: [row[name] for row in table] for name in table[0]}


def no_column(key: str, name: str, header: Iterable[str]) -> DataError:
    """Return the error of a setting `data.KEY` that names a column which a file has not."""
    close = difflib.get_close_matches(name, header := [*header], n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return DataError(f"data.{key}={name}: no such column; {hint}allowed: {', '.join(header)}")


def from_cells(cells: dict[str, list[str]], target: str, leave_out: tuple[str, ...] = (), **options) -> Table:
    """Return the table of cells that are all numbers, with `options` as further fields of the `Table`."""
    names = tuple(name for name in cells if name != target and name not in leave_out)
    x = np.array([[number_in(cell) for cell in cells[name]] for name in names]).T
    return Table(names, x, np.array([number_in(cell) for cell in cells[target]]), **options)


def number_in(cell: str) -> float:
    """Return the number in a cell, or NaN where there is none.

    A number is written with digits, a point and an exponent. What Python reads besides is none: 3_10 is a code, and
    digits of other scripts, inf and nan are words.

    >>> number_in(" -1.5e3 "), number_in("3_10")
    (-1500.0, nan)
    """
    cell = cell.strip()
    return float(cell) if NUMBER.fullmatch(cell) else math.nan


def whole_in(cell: str) -> int | None:
    """Return the whole number in a cell, which may be written as 1.5e9, or None where there is none."""
    cell = cell.strip()
    if cell.isascii() and cell.isdigit() and len(cell) <= DIGITS:  # nearly all, and so in half the time
        return int(cell)
    value = number_in(cell)
    if not math.isfinite(value) or value != int(value):
        return None
    return int(cell) if cell.lstrip("+-").isdigit() else int(value)
