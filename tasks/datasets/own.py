"""`csv`: a table of the user's own, with a header, comma, semicolon or tab separated.

Columns that hold text or nothing, or have no name, are left out, and so are rows with a missing value; notes of the run
say so. A value is missing if its cell is empty, NA, NaN, null, None or ?, or an infinite number.
"""

import csv
import dataclasses
import difflib
import math
import pathlib

import numpy as np

from tasks.datasets.files import sha256
from tasks.datasets.settings import Csv
from tasks.datasets.table import DataError, Table, read_cells

MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}


def fill_in(settings: Csv) -> None:
    """Set the file's SHA-256, which is part of a run's identity.

    Raises:
        DataError: there is no path, no file or no target, or the settings already have the checksum of another file.
    """
    if not settings.path or not settings.target:
        raise DataError("data=csv needs data.path=FILE and data.target=COLUMN")
    path = pathlib.Path(settings.path).expanduser()
    if not path.is_file():
        raise DataError(f"data.path={settings.path}: no such file")
    digest = sha256(path)
    if settings.sha256 and settings.sha256 != digest:
        raise DataError(f"data.path={settings.path}: its SHA-256 is {digest}, not data.sha256={settings.sha256}")
    settings.sha256 = digest


def read(settings: Csv) -> Table:
    """Read the table.

    Raises:
        DataError: the file has no column of a name that the settings have, the target is text, or nothing is left.
    """
    path = pathlib.Path(settings.path).expanduser()
    try:
        cells = read_cells(path, delimiter_of(path))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"data.path={path}: not a table in UTF-8 text ({error})") from error
    for key, name in (("target", settings.target), *(("drop", name) for name in settings.drop)):
        if name not in cells:
            close = difflib.get_close_matches(name, cells, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise DataError(f"data.{key}={name}: no such column; {hint}allowed: {', '.join(cells)}")
    numbers = {name: _numbers(column) for name, column in cells.items() if name not in settings.drop}
    text = [name for name, column in numbers.items() if column is None]
    if settings.target in [*text, *settings.drop]:
        raise DataError(f"data.target={settings.target}: the column to predict must hold numbers, and not be dropped")
    unnamed = [name for name in numbers if not name]  # row numbers, as pandas writes them
    inputs = [name for name in numbers if name not in (settings.target, *text, *unnamed)]
    if not inputs:
        raise DataError(f"data.path={path}: no input column holds numbers")
    x, y = np.array([numbers[name] for name in inputs]).T, np.array(numbers[settings.target])
    whole = np.isfinite(x).all(axis=1) & np.isfinite(y)
    notes = []
    if text:
        notes.append(
            f"columns left out, as they hold text or nothing: {', '.join(text)}; code them as numbers to use them"
        )
    if unnamed:
        notes.append("the column without a name was left out")
    if not whole.all():
        notes.append(f"{np.sum(~whole)} of {len(y)} rows were left out, as a value is missing in them")
    table = Table(tuple(inputs), x[whole], y[whole])
    if repeated := whole.sum() - len(table.distinct_rows()):
        notes.append(f"{repeated} of {whole.sum()} rows repeat another, perhaps one of the other split")
    return dataclasses.replace(table, notes=tuple(notes))


def delimiter_of(path: pathlib.Path) -> str:
    """Return the delimiter that cuts the header into the largest number of names."""
    with open(path, encoding="utf-8-sig") as file:
        header = next((line for line in file if line.strip()), "")
    return max(",;\t", key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter), [])))


def _numbers(cells: list[str]) -> list[float] | None:
    """Return the numbers of a column, NaN where one is missing, or None if it holds text or no number at all."""
    numbers = []
    for cell in cells:
        try:
            numbers.append(math.nan if cell.strip().lower() in MISSING else float(cell))
        except ValueError:
            return None
    return numbers if np.isfinite(numbers).any() else None
