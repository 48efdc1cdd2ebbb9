"""Rows of the user's CSV file, read in blocks: comma, semicolon or tab separated, with columns that settings name."""

import csv
import itertools
import math
import pathlib
from collections.abc import Iterator, Sequence

import numpy as np

from tasks.datasets.cells import delimiter_of, no_column, number_in, rows
from tasks.datasets.files import IN_BLOCKS, data_file, set_checksum, sha256
from tasks.errors import DataError
from tasks.logs import cache
from tasks.logs.cells import Block
from tasks.logs.settings import ClickCsv, ItemCsv
from tasks.logs.writer import BLOCK


def fill_in(settings: ClickCsv | ItemCsv) -> None:
    """Set the file's SHA-256.

    Raises:
        DataError: a column is not named, there is no file, the settings have the checksum of another file, or only one
            of an item log's label and label_at_least is set.
    """
    needed = ("user", "time", "label", "features") if isinstance(settings, ClickCsv) else ("user", "time", "item")
    if isinstance(settings, ItemCsv) and (settings.label_at_least is None) != (settings.label == ""):
        raise DataError("data.label=COLUMN and data.label_at_least=VALUE belong together: give both or none")
    missing = [key for key in ("path", *needed) if not getattr(settings, key)]
    if missing:
        columns = ["'data.features=[COLUMN,...]'" if key == "features" else f"data.{key}=COLUMN" for key in needed]
        needs = " ".join(["data.path=FILE", *columns])
        raise DataError(f"data={settings.name} needs {needs}; not given: {', '.join(missing)}")
    path = data_file(settings.path, f"data.path={settings.path}", IN_BLOCKS)
    with cache.reading(settings.path):
        set_checksum(settings, sha256(path))


def repeated(settings: ClickCsv | ItemCsv) -> np.ndarray:
    """Return the numbers (d,) of the rows, counted from 0, that repeat an earlier row in every cell.

    A row is the same interaction written twice, and as context of its own target would show its label. Rows are
    compared by 64 bits of a hash, since a whole file may not fit the memory.

    Raises:
        DataError: what `blocks` raises, but for columns.
    """
    table = _rows(settings)
    next(table, None)
    digests = np.fromiter((hash(tuple(map(str.strip, cells))) for _, cells in table), np.int64)
    is_repeated = np.ones(len(digests), bool)
    is_repeated[np.unique(digests, return_index=True)[1]] = False
    return np.flatnonzero(is_repeated)


def note_of(repeated_rows: np.ndarray) -> list[str]:
    """Return a remark on how many rows are left out because they repeat others; none if there are none."""
    count = len(repeated_rows)
    return [f"{count:,} rows repeat an earlier row in every cell, and are left out"] if count else []


def blocks(settings: ClickCsv | ItemCsv, wanted: Sequence[tuple[str, str]], left_out: np.ndarray) -> Iterator[Block]:
    """Yield the columns of a file, block by block.

    Args:
        wanted: (key of the settings, column) for every column.
        left_out: the numbers of the rows, counted from 0 and sorted, that are left out.

    Raises:
        DataError: a column is missing or occurs twice, a row has another number of cells than the header, or the file
            has no header or is not text in UTF-8.
    """
    table = _rows(settings)
    places = _places(settings.path, wanted, [name.strip() for name in next(table, (0, []))[1]])
    for first in itertools.count(0, BLOCK):
        block = list(itertools.islice(table, BLOCK))
        if not block:
            return
        skipped = {*left_out[np.searchsorted(left_out, first) : np.searchsorted(left_out, first + BLOCK)].tolist()}
        different = [each for number, each in enumerate(block, first) if number not in skipped]
        if different:
            lines, cells = zip(*different, strict=True)
            yield Block([*lines], {name: [row[place].strip() for row in cells] for name, place in places.items()})


def _rows(settings: ClickCsv | ItemCsv) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its line, cells) of the header and then of every row; empty lines are none."""
    path, header = settings.path, settings.columns
    try:
        file_path = pathlib.Path(path).expanduser()
        delimiter = delimiter_of(file_path)
        if header:
            yield 0, header
        with open(file_path, newline="", encoding="utf-8-sig") as file:
            for line, row in rows(file, delimiter, skipinitialspace=True):
                header = header or row
                if len(row) != len(header):
                    names = f"{'data.columns' if settings.columns else 'the header'} has {len(header)} names"
                    raise DataError(f"data.path={path}: line {line} has {len(row)} cells, {names}")
                yield line, row
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"data.path={path}: not a table in UTF-8 text ({error})") from error


def _places(path: str, wanted: Sequence[tuple[str, str]], header: list[str]) -> dict[str, int]:
    """Return {column: its place in a row} for every column that is needed."""
    if not header:
        raise DataError(f"data.path={path}: the file has no rows")
    is_missing = any(name not in header for _, name in wanted)
    if is_missing and not any(math.isnan(number_in(name)) for name in header):
        names = ",".join(["user", "item", "rating", "time", *["other"] * len(header)][: len(header)])
        raise DataError(
            f"data.path={path}: its first line is no header, but numbers; name its columns in their order, such as "
            f"'data.columns=[{names}]'"
        )
    for key, name in wanted:
        if name not in header:
            raise no_column(key, name, header)
        if header.count(name) > 1:
            raise DataError(f"data.{key}={name}: two columns have that name")
    return {name: header.index(name) for _, name in wanted}
