"""`csv`: a table of the user's own, with a header, comma, semicolon or tab separated.

Columns that hold text or nothing, or have no name, are left out, and so are rows with a missing value; notes of the run
say so. A value is missing if its cell is empty, a sign alone, NA, NaN, null, None or ? as programs write them (MISSING,
those of pandas among them), or an infinite number.
"""

import csv
import dataclasses
import math

import numpy as np

from tasks.datasets.cells import delimiter_of, no_column, number_in, read_cells
from tasks.datasets.files import data_file, set_checksum, sha256
from tasks.datasets.settings import Csv
from tasks.datasets.table import Table
from tasks.errors import DataError

MISSING = {"", "na", "n/a", "nan", "null", "none", "?", "<na>", "#n/a", "#n/a n/a", "#na", "1.#ind", "1.#qnan", "inf",
           "infinity"}  # fmt: skip
FEW = 0.1  # texts among the cells of a column, below which it looks like one of numbers
SHOWN = 30  # the most characters of a cell that a note shows


def fill_in(settings: Csv) -> None:
    """Set the file's SHA-256, which is part of a run's identity.

    Raises:
        DataError: there is no path, no file or no target, or the settings already have the checksum of another file.
    """
    if not settings.path or not settings.target:
        raise DataError("data=csv needs data.path=FILE and data.target=COLUMN")
    set_checksum(settings, sha256(data_file(settings.path, f"data.path={settings.path}")))


def read(settings: Csv) -> Table:
    """Read the table.

    Raises:
        DataError: the file has no column of a name that the settings have, the target is text, or nothing is left.
    """
    path = data_file(settings.path, f"data.path={settings.path}")
    try:
        cells = read_cells(path, delimiter_of(path))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"data.path={path}: not a table in UTF-8 text ({error})") from error
    for key, name in (("target", settings.target), *(("drop", name) for name in settings.drop)):
        if name not in cells:
            raise no_column(key, name, cells)
    read = {name: _numbers(column) for name, column in cells.items() if name not in settings.drop}
    numbers = {name: column for name, (column, _) in read.items()}
    text = {name: texts for name, (column, texts) in read.items() if texts or not np.isfinite(column).any()}
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
        notes.append(_note_of_text(text, len(y)))
    if unnamed:
        notes.append("the column without a name was left out")
    if not whole.all():
        notes.append(f"{np.sum(~whole)} of {len(y)} rows were left out, as a value is missing in them")
    table = Table(tuple(inputs), x[whole], y[whole])
    if repeated := whole.sum() - len(table.distinct_rows()):
        notes.append(f"{repeated} of {whole.sum()} rows repeat another, perhaps one of the other split")
    return dataclasses.replace(table, notes=tuple(notes))


def _numbers(cells: list[str]) -> tuple[list[float], list[str]]:
    """Return the numbers of a column, NaN where there is none, and its cells that are neither numbers nor missing."""
    numbers = [math.nan if _is_missing(cell) else number_in(cell) for cell in cells]
    return numbers, [
        cell for cell, number in zip(cells, numbers, strict=True) if math.isnan(number) and not _is_missing(cell)
    ]


def _is_missing(cell: str) -> bool:
    return cell.strip().lower().lstrip("+-") in MISSING


def _note_of_text(texts: dict[str, list[str]], rows: int) -> str:
    """Return the note on columns that are left out, with a cell of each that is a column of numbers but for a few."""
    note = f"columns left out, as they hold text or nothing: {', '.join(texts)}; code them as numbers to use them"
    few = [f"; {name} has numbers but for {len(cells)} of {rows} cells, such as {cells[0][:SHOWN]!r}"
           for name, cells in texts.items() if 0 < len(cells) <= FEW * rows]  # fmt: skip
    return note + "".join(few)
