"""Rows of a file by its suffix: .csv and .tsv with a header, .jsonl with one object per line, .parquet."""

import contextlib
import csv
import json
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.datasets.cells import delimiter_of, lines, table_rows
from tasks.errors import DataError

SUFFIXES = (".parquet", ".jsonl", ".json", ".csv", ".tsv")
SPLITS = {  # what the files of a split are called
    "train": ("train", "training"),
    "train_xs": ("train_xs", "train"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test",),
}
PART = r"([.-](?P<part>\d+)(-of-(?P<of>\d+)(-[0-9a-f]{16})?)?)?"  # the hub ends the names of parts with a hash
SHOWN = 100  # the most characters of names that a message shows
QUOTED = re.compile(r'"((?:[^"]++|"")*+)"')
QUOTED_TABLE = re.compile(rf'(?:(?:[^"\t\r\n]++|{QUOTED.pattern})?+(?:[\t\r\n]|\Z))*+')
NEEDS_QUOTES = re.compile(r'["\t\r\n]')
PARQUET = "needs pyarrow: pip install pyarrow, or write the table as .jsonl or .csv"


def rows_of(paths: Sequence[pathlib.Path], key: str) -> list[dict]:
    """Return the rows of some files, one after the other: {column: cell}.

    Args:
        key: of the settings that names the files.

    Raises:
        DataError: a file is none of these sorts, is damaged or has no rows.
    """
    read_rows = []
    for path in paths:
        read = {".csv": _table, ".tsv": _table, ".jsonl": _jsonl, ".json": _jsonl, ".parquet": _parquet}.get(
            path.suffix
        )
        if read is None:
            raise DataError(f"{key}={path}: unknown suffix; allowed: {', '.join(SUFFIXES)}")
        try:
            read_rows += read(path)
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: not text in UTF-8 ({error.reason} at byte {error.start})") from error
        except csv.Error as error:
            raise DataError(f"{path}: no row of a table ({error})") from error
        except OSError as error:
            raise DataError(f"{key}={path}: cannot be read ({error.strerror})") from error
    if not read_rows:
        raise DataError(f"{key}={', '.join(map(str, paths))}: it has no rows")
    return read_rows


def split_of(folder: pathlib.Path, split: str, folders: Sequence[str] = ()) -> list[pathlib.Path]:
    """Return the files of a split in a data set's folder, several where it is cut in parts; none where it is not there.

    Args:
        folders: those of it to search, too, in that order; `data` is always among them.

    Raises:
        DataError: a part is missing, or is there twice.
    """
    for place in (folder, *(folder / name for name in (*folders, "data"))):
        for name in SPLITS[split]:
            pattern = re.compile(rf"{re.escape(name)}{PART}({'|'.join(map(re.escape, SUFFIXES))})")
            matches = {path: pattern.fullmatch(path.name) for path in sorted(place.glob(f"{name}*"))}
            files = {path: match for path, match in matches.items() if match}
            if files:
                suffix = next(iter(files)).suffix
                chosen = {path: match for path, match in files.items() if path.suffix == suffix}
                _check_parts(place, chosen)
                return [*chosen]
    return []


def _check_parts(place: pathlib.Path, files: Mapping[pathlib.Path, re.Match]) -> None:
    parts = sorted((int(match["part"] or 0), int(match["of"] or 0)) for match in files.values())
    counts = {count for _, count in parts}
    are_numbered = len(parts) == 1 or all(match["part"] for match in files.values())
    if are_numbered and (counts == {0} or parts == [(number, len(parts)) for number in range(len(parts))]):
        return
    names = ", ".join(path.name for path in files)
    few = names if len(names) <= SHOWN else f"{names[:SHOWN]}..."
    raise DataError(f"text.path={place}: a part of the split is missing, or there twice: there is {few}")


def _table(path: pathlib.Path) -> Iterator[dict]:
    delimiter = "\t" if path.suffix == ".tsv" else delimiter_of(path)
    if delimiter == "\t" and not is_quoted(path.read_text(encoding="utf-8-sig")):
        return table_rows(path, delimiter, quoting=csv.QUOTE_NONE)
    return table_rows(path, delimiter, skipinitialspace=True)


def is_quoted(text: str) -> bool:
    """Return whether cells between tabs stand in quotes where they must, as pandas writes them.

    In other files quotes are ordinary signs, as in GLUE's: a quote stands inside of a cell without quotes around it, or
    those around all cells that have any are not needed.
    """
    if not QUOTED_TABLE.fullmatch(text):
        return False
    return text.startswith('"') or any(NEEDS_QUOTES.search(match[1]) for match in QUOTED.finditer(text))


def _jsonl(path: pathlib.Path) -> Iterator[dict]:
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(lines(file), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path}: line {number} is no JSON ({_first_line(error)})") from error
            if not isinstance(row, dict):
                raise DataError(f"{path}: line {number} is no object with a name for each cell")
            yield row


def _parquet(path: pathlib.Path) -> list[dict]:
    try:
        from pyarrow import ArrowException, parquet  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise DataError(f"{path}: {PARQUET}") from error
    try:
        return [_decoded(row) for row in parquet.read_table(path).to_pylist()]
    except (ArrowException, OSError) as error:
        raise DataError(f"{path}: damaged, or no parquet file ({_first_line(error)})") from error


def _decoded(cell: Any) -> Any:
    """Return a cell with texts in place of bytes, which are how some programs store them; other bytes stay."""
    if isinstance(cell, dict):
        return {name: _decoded(each) for name, each in cell.items()}
    if isinstance(cell, list):
        return [_decoded(each) for each in cell]
    with contextlib.suppress(UnicodeDecodeError):
        return cell.decode() if isinstance(cell, bytes) else cell
    return cell


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:80]
