"""`click_csv`: a log of the user's own, one row per interaction, in any order; comma, semicolon or tab separated.

The file is read in blocks of rows. Cells of the feature columns are taken as categories as they stand; an empty one
means that the interaction has no such token.
"""

import csv
import difflib
import pathlib
from collections.abc import Iterator

import numpy as np

from tasks.datasets.files import sha256
from tasks.datasets.own import delimiter_of
from tasks.datasets.table import DataError
from tasks.logs import cache
from tasks.logs.cells import Block, labels, times
from tasks.logs.log import ClickLog
from tasks.logs.settings import ClickCsv
from tasks.logs.writer import BLOCK, Writer


def fill_in(settings: ClickCsv) -> None:
    """Set the file's SHA-256.

    Raises:
        DataError: a column is not named, no file, or another file than the checksum that was given belongs to.
    """
    missing = [name for name in ("path", "user", "time", "label", "features") if not getattr(settings, name)]
    if missing:
        needs = "data.path=FILE data.user=COLUMN data.time=COLUMN data.label=COLUMN 'data.features=[COLUMN,...]'"
        raise DataError(f"data=click_csv needs {needs}; not given: {', '.join(missing)}")
    path = pathlib.Path(settings.path).expanduser()
    if not path.is_file():
        raise DataError(f"data.path={settings.path}: no such file")
    with cache.reading(settings.path):
        digest = sha256(path)
    cache.fill_in(settings, digest)


def read(settings: ClickCsv) -> ClickLog:
    """
    Raises:
        DataError: a column that is not there, a time or label that is not what it should be, a log that cannot be split
            in three by time, one class alone, or no place to keep the sorted log.
    """
    fill_in(settings)
    return cache.kept(settings, lambda folder: _build(settings, folder))


def _build(settings: ClickCsv, folder: pathlib.Path) -> None:
    columns, where = tuple(settings.features), f"data.path={settings.path}"
    with Writer(folder, where, columns, tuple(range(len(columns)))) as writer:
        for block in _blocks(settings):
            count = len(block.lines)
            user = writer.users.encode(block.cells[settings.user], count)
            if (user < 0).any():
                raise DataError(f"data.user={settings.user}: line {block.lines[np.argmin(user)]} has no user")
            features = [
                values.encode(block.cells[name], count) for name, values in zip(columns, writer.values, strict=True)
            ]
            writer.add(user, times(settings, block), labels(settings, block), np.stack(features, axis=1))
        writer.finish()


def _blocks(settings: ClickCsv) -> Iterator[Block]:
    path = pathlib.Path(settings.path).expanduser()
    try:
        delimiter = delimiter_of(path)
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
            header = [name.strip() for name in next((row for row in reader if row), [])]
            places = _places(settings, header)
            lines, rows = [], []
            for row in reader:
                if len(row) != len(header):
                    if not row:  # an empty line
                        continue
                    told = f"line {reader.line_num} has {len(row)} cells, the header has {len(header)} names"
                    raise DataError(f"data.path={settings.path}: {told}")
                lines.append(reader.line_num)
                rows.append(row)
                if len(rows) == BLOCK:
                    yield _block(lines, rows, places)
                    lines, rows = [], []
            if rows:
                yield _block(lines, rows, places)
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"data.path={settings.path}: not a table in UTF-8 text ({error})") from error


def _block(lines: list[int], rows: list[list[str]], places: dict[str, int]) -> Block:
    return Block(lines, {name: [row[place].strip() for row in rows] for name, place in places.items()})


def _places(settings: ClickCsv, header: list[str]) -> dict[str, int]:
    """The place of each column that is needed."""
    if not header:
        raise DataError(f"data.path={settings.path}: the file has no rows")
    wanted = [(key, getattr(settings, key)) for key in ("user", "time", "label")]
    wanted += [("features", name) for name in settings.features]
    for key, name in wanted:
        if name not in header:
            close = difflib.get_close_matches(name, header, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise DataError(f"data.{key}={name}: no such column; {hint}allowed: {', '.join(header)}")
        if header.count(name) > 1:
            raise DataError(f"data.{key}={name}: two columns have that name")
    for name in settings.features:
        if settings.features.count(name) > 1:
            raise DataError(f"data.features={name}: named twice")
        if name == settings.label:
            raise DataError(f"data.features={name}: that is the label, which no feature may tell")
    return {name: header.index(name) for _, name in wanted}
