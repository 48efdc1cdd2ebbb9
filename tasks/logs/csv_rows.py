"""Rows of the user's CSV file, read in blocks: comma, semicolon or tab separated, with columns that settings name."""

import csv
import difflib
import hashlib
import itertools
import pathlib
from collections.abc import Iterator, Sequence

import numpy as np

from tasks.datasets.files import sha256
from tasks.datasets.own import delimiter_of
from tasks.datasets.table import DataError
from tasks.logs import cache
from tasks.logs.cells import Block
from tasks.logs.settings import ClickCsv, ItemCsv
from tasks.logs.writer import BLOCK


def fill_in_csv(settings: ClickCsv | ItemCsv, needed: Sequence[str]) -> None:
    """Set the file's SHA-256.

    Args:
        needed: the settings that must name columns.

    Raises:
        DataError: a column is not named, there is no file, or the settings have the checksum of another file.
    """
    missing = [key for key in ("path", *needed) if not getattr(settings, key)]
    if missing:
        columns = ["'data.features=[COLUMN,...]'" if key == "features" else f"data.{key}=COLUMN" for key in needed]
        needs = " ".join(["data.path=FILE", *columns])
        raise DataError(f"data={settings.name} needs {needs}; not given: {', '.join(missing)}")
    path = pathlib.Path(settings.path).expanduser()
    if not path.is_file():
        raise DataError(f"data.path={settings.path}: no such file")
    with cache.reading(settings.path):
        digest = sha256(path)
    cache.fill_in(settings, digest)


def repeated(path: str) -> np.ndarray:
    """Return the numbers (d,) of the rows, counted from 0, that repeat an earlier row in every cell.

    A row is the same interaction written twice, and as context of its own target would show its label. Rows are
    compared by 64 bits of a hash, since a whole file may not fit the memory.

    Raises:
        DataError: what `blocks` raises, but for columns.
    """
    rows = _rows(path)
    next(rows, None)
    digests = np.fromiter((_digest(cells) for _, cells in rows), np.uint64)
    is_repeated = np.ones(len(digests), bool)
    is_repeated[np.unique(digests, return_index=True)[1]] = False
    return np.flatnonzero(is_repeated)


def note_of(repeated_rows: np.ndarray) -> list[str]:
    """Return a remark on how many rows are left out because they repeat others; none if there are none."""
    count = len(repeated_rows)
    return [f"{count:,} rows repeat an earlier row in every cell, and are left out"] if count else []


def blocks(path: str, wanted: Sequence[tuple[str, str]], left_out: np.ndarray) -> Iterator[Block]:
    """Yield the columns of a file, block by block.

    Args:
        wanted: (key of the settings, column) for every column.
        left_out: the numbers of the rows, counted from 0 and sorted, that are left out.

    Raises:
        DataError: a column is missing or occurs twice, a row has another number of cells than the header, or the file
            has no header or is not text in UTF-8.
    """
    rows = _rows(path)
    places = _places(path, wanted, next(rows, (0, []))[1])
    for first in itertools.count(0, BLOCK):
        block = list(itertools.islice(rows, BLOCK))
        if not block:
            return
        skipped = {*left_out[np.searchsorted(left_out, first) : np.searchsorted(left_out, first + BLOCK)].tolist()}
        different = [each for number, each in enumerate(block, first) if number not in skipped]
        if different:
            lines, cells = zip(*different, strict=True)
            yield Block([*lines], {name: [row[place] for row in cells] for name, place in places.items()})


def _rows(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its line, cells) of the header and then of every row; empty lines are none."""
    try:
        file_path = pathlib.Path(path).expanduser()
        delimiter = delimiter_of(file_path)
        with open(file_path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
            header: list[str] = []
            for row in reader:
                if not row:
                    continue
                header = header or row
                if len(row) != len(header):
                    sizes = f"{len(row)} cells, the header has {len(header)} names"
                    raise DataError(f"data.path={path}: line {reader.line_num} has {sizes}")
                yield reader.line_num, [cell.strip() for cell in row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"data.path={path}: not a table in UTF-8 text ({error})") from error


def _digest(cells: list[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\x1f".join(cells).encode(), digest_size=8).digest())


def _places(path: str, wanted: Sequence[tuple[str, str]], header: list[str]) -> dict[str, int]:
    """Return {column: its place in a row} for every column that is needed."""
    if not header:
        raise DataError(f"data.path={path}: the file has no rows")
    for key, name in wanted:
        if name not in header:
            close = difflib.get_close_matches(name, header, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise DataError(f"data.{key}={name}: no such column; {hint}allowed: {', '.join(header)}")
        if header.count(name) > 1:
            raise DataError(f"data.{key}={name}: two columns have that name")
    return {name: header.index(name) for _, name in wanted}
