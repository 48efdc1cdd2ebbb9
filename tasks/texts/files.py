"""Rows of a file by its suffix: .csv and .tsv with a header, .jsonl with one object per line, .parquet."""

import csv
import json
import pathlib
import re
from collections.abc import Iterator, Sequence

from tasks.datasets.own import delimiter_of
from tasks.datasets.table import DataError

SUFFIXES = (".parquet", ".jsonl", ".json", ".csv", ".tsv")
SPLITS = {  # what the files of a split are called
    "train": ("train", "training"),
    "train_xs": ("train_xs", "train"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test",),
}
PARQUET = "needs pyarrow: pip install pyarrow, or write the table as .jsonl or .csv"


def rows_of(paths: Sequence[pathlib.Path], key: str) -> list[dict]:
    """Return the rows of some files, one after the other: {column: cell}.

    Args:
        key: of the settings that names the files.

    Raises:
        DataError: a file is none of these sorts, is damaged or has no rows.
    """
    rows = []
    for path in paths:
        read = {".csv": _csv, ".tsv": _tsv, ".jsonl": _jsonl, ".json": _jsonl, ".parquet": _parquet}.get(path.suffix)
        if read is None:
            raise DataError(f"{key}={path}: unknown suffix; allowed: {', '.join(SUFFIXES)}")
        try:
            rows += read(path)
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: not text in UTF-8 ({error.reason} at byte {error.start})") from error
        except OSError as error:
            raise DataError(f"{key}={path}: cannot be read ({error.strerror})") from error
    if not rows:
        raise DataError(f"{key}={', '.join(map(str, paths))}: it has no rows")
    return rows


def split_of(folder: pathlib.Path, split: str, folders: Sequence[str] = ()) -> list[pathlib.Path]:
    """Return the files of a split in a data set's folder, several where it is cut in parts; none where it is not there.

    Args:
        folders: those of it to search, too, in that order; `data` is always among them.
    """
    for place in (folder, *(folder / name for name in (*folders, "data"))):
        for name in SPLITS[split]:
            pattern = re.compile(rf"{re.escape(name)}([.-]\d+(-of-\d+)?)?({'|'.join(map(re.escape, SUFFIXES))})")
            if files := sorted(path for path in place.glob(f"{name}*") if pattern.fullmatch(path.name)):
                return [path for path in files if path.suffix == files[0].suffix]
    return []


def _csv(path: pathlib.Path) -> Iterator[dict]:
    return _cells(path, {"delimiter": delimiter_of(path), "skipinitialspace": True})


def _tsv(path: pathlib.Path) -> Iterator[dict]:
    """Read a file in which quotes are ordinary signs, as GLUE's."""
    return _cells(path, {"delimiter": "\t", "quoting": csv.QUOTE_NONE})


def _cells(path: pathlib.Path, form: dict) -> Iterator[dict]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, **form)
        header: list[str] = []
        try:
            for cells in reader:
                if not header:
                    header = [cell.strip() for cell in cells]
                    if twice := next((name for name in header if header.count(name) > 1), None):
                        raise DataError(f"{path}: two columns are called {twice!r}")
                elif cells and len(cells) != len(header):
                    sizes = f"{len(cells)} cells, the header has {len(header)} names"
                    raise DataError(f"{path}: line {reader.line_num} has {sizes}")
                elif cells:
                    yield dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise DataError(f"{path}: line {reader.line_num} is no row of a table ({error})") from error


def _jsonl(path: pathlib.Path) -> Iterator[dict]:
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
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
        return parquet.read_table(path).to_pylist()
    except (ArrowException, OSError) as error:
        raise DataError(f"{path}: damaged, or no parquet file ({_first_line(error)})") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:80]
