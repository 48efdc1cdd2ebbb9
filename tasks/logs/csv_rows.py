"""Rows of the user's CSV file, read in blocks: comma, semicolon or tab separated, with columns that settings name."""

import csv
import difflib
import pathlib
from collections.abc import Iterator, Sequence

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


def blocks(path: str, wanted: Sequence[tuple[str, str]]) -> Iterator[Block]:
    """Yield the columns of a file, block by block.

    Args:
        wanted: (key of the settings, column) for every column.

    Raises:
        DataError: a column is missing or occurs twice, a row has another number of cells than the header, or the file
            has no header or is not text in UTF-8.
    """
    try:
        file_path = pathlib.Path(path).expanduser()
        delimiter = delimiter_of(file_path)
        with open(file_path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
            header = [name.strip() for name in next((row for row in reader if row), [])]
            places = _places(path, wanted, header)
            lines, rows = [], []
            for row in reader:
                if len(row) != len(header):
                    if not row:  # an empty line
                        continue
                    sizes = f"{len(row)} cells, the header has {len(header)} names"
                    raise DataError(f"data.path={path}: line {reader.line_num} has {sizes}")
                lines.append(reader.line_num)
                rows.append(row)
                if len(rows) == BLOCK:
                    yield _block(lines, rows, places)
                    lines, rows = [], []
            if rows:
                yield _block(lines, rows, places)
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"data.path={path}: not a table in UTF-8 text ({error})") from error


def _block(lines: list[int], rows: list[list[str]], places: dict[str, int]) -> Block:
    return Block(lines, {name: [row[place].strip() for row in rows] for name, place in places.items()})


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
