"""Reading and writing the files of a folder: tables, arrays, settings, and metrics line by line."""

import contextlib
import csv
import functools
import json
import math
import os
import pathlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lab.errors import UserError, writing
from lab.runs import own_files, safe_read
from lab.runs.hosts import on_first_process
from lab.runs.safe_read import check_size, legible

if TYPE_CHECKING:
    import numpy as np

METRICS = "metrics.jsonl"
JUST_WRITTEN = 2 * 10**9  # nanoseconds: two changes in quick succession may leave one time stamp


class Folder:
    """A folder whose files are written whole: each is written under a temporary name and then renamed, so none is ever
    half-written. The names of the files are recorded (`own_files`).

    Of several processes that train together the first reads and writes the files, and shares what it reads with all.
    """

    def __init__(self, path: pathlib.Path):
        self.path = path

    @on_first_process
    def append_metrics(self, *lines: dict) -> None:
        """Append lines to metrics.jsonl; they are on disk when this returns."""
        own_files.note(self.path, METRICS)
        own_files.unshare(self.path / METRICS)
        with writing(self.path / METRICS), open(self.path / METRICS, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(_finite(line), allow_nan=False) + "\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())

    def write_summary(self, summary: dict) -> None:
        self.write_text("summary.json", json.dumps(_finite(summary), indent=2, allow_nan=False) + "\n")

    @property
    @on_first_process
    def has_summary(self) -> bool:
        return (self.path / "summary.json").exists()

    @on_first_process
    def read_summary(self) -> dict:
        return self._mapping("summary.json", safe_read.from_json)

    @on_first_process
    def read_config(self) -> dict:
        return self._mapping("config.yaml", safe_read.from_yaml)

    @on_first_process
    def read_environment(self) -> dict:
        return self._mapping("environment.json", safe_read.from_json)

    @on_first_process
    def write_table(self, name: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Write `name`.csv with one row per dictionary; a column that a row does not have is empty there."""
        rows = list(rows)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        with self.whole(f"{name}.csv") as path, open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=columns)
            writer.writeheader()
            writer.writerows(rows)

    @on_first_process
    def has_table(self, name: str) -> bool:
        return (self.path / f"{name}.csv").exists()

    @on_first_process
    def read_table(self, name: str) -> list[dict[str, float | str]]:
        """Return the rows of `name`.csv, with cells that are numbers as floats and empty cells as NaN."""
        with legible(self.path / f"{name}.csv") as path:
            status = path.stat()
            is_new = time.time_ns() - status.st_mtime_ns < JUST_WRITTEN
            read = _numbers.__wrapped__ if is_new else _numbers
            return [*map(dict, read(path, status.st_ino, status.st_mtime_ns, status.st_size))]

    @on_first_process
    def read_text_table(self, name: str) -> list[dict[str, str]]:
        """Return the rows of `name`.csv with all cells as text."""
        with legible(self.path / f"{name}.csv") as path:
            return _texts(path)

    @on_first_process
    def write_arrays(self, name: str, arrays: "dict[str, np.ndarray]") -> None:
        """Write `name`.npz from {name: array}."""
        import numpy as np

        with self.whole(f"{name}.npz") as path:
            keywords: dict[str, Any] = dict(arrays)  # Any: to a type checker each might be `allow_pickle`, a bool
            np.savez(path, **keywords)

    @on_first_process
    def has_arrays(self, name: str) -> bool:
        return (self.path / f"{name}.npz").exists()

    @on_first_process
    def read_arrays(self, name: str) -> "dict[str, np.ndarray]":
        """Return {name: array} of `name`.npz."""
        import numpy as np

        # Opened here, as NumPy does not close a file that is no archive.
        with legible(self.path / f"{name}.npz") as path, open(path, "rb") as stream, np.load(stream) as file:
            check_size(sum(member.file_size for member in file.zip.infolist()))
            return dict(file)

    @on_first_process
    def folder(self, name: str, files: Iterable[str]) -> pathlib.Path:
        """Make and return a subfolder in which other software writes the given files, which are recorded as the lab's.

        Raises:
            UserError: the subfolder is a link.
        """
        place = self.path / name
        if place.is_symlink():
            raise UserError(f"{place}: it is a symbolic link; put the folder itself there")
        for file in files:
            own_files.note(self.path, f"{name}/{file}")
            (place / file).unlink(missing_ok=True)  # a hard link elsewhere keeps its content
        place.mkdir(exist_ok=True)
        return place

    @on_first_process
    def write_text(self, name: str, text: str) -> None:
        with self.whole(name) as path:
            path.write_text(text, encoding="utf-8")

    @on_first_process
    def read_text(self, name: str) -> str:
        with legible(self.path / name) as path:
            return path.read_text(encoding="utf-8")

    @on_first_process
    def read_bytes(self, name: str) -> bytes:
        with legible(self.path / name) as path:
            return path.read_bytes()

    def _mapping(self, name: str, parse: Callable[[str], object]) -> dict:
        with legible(self.path / name) as path:
            if not isinstance(entries := parse(path.read_text(encoding="utf-8")), dict):
                raise ValueError("its entries have no names")
        return entries

    @contextlib.contextmanager
    def whole(self, name: str) -> Iterator[pathlib.Path]:
        """Yield a temporary path to write to; at the end of the `with` block the file is renamed to `name`.

        Args:
            name: name of a file in the folder or in an existing subfolder, as `figures/NAME.png`.

        Raises:
            UserError: the subfolder is a link.
        """
        place = self.path / name
        if place.parent != self.path and place.parent.is_symlink():
            raise UserError(f"{place.parent}: it is a symbolic link; put the folder itself there")
        own_files.note(self.path, name)
        with writing(place), own_files.whole(place) as temporary:
            yield temporary


def _texts(path: pathlib.Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    if any(None in row or None in row.values() for row in rows):
        raise ValueError("a row has more or fewer cells than there are columns")
    return rows


@functools.lru_cache(maxsize=4)
def _numbers(path: pathlib.Path, inode: int, changed: int, size: int) -> list[dict[str, float | str]]:
    """Return the rows of a table. It is read again only after a change of the file, as every claim asks for its tables.

    Args:
        inode, changed, size: identify the file's content; `changed` is the time of the last change.
    """
    return with_numbers(_texts(path))


def _finite(value):
    """Copy a tree of dictionaries and lists, with None for infinite numbers and NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def with_numbers(rows: Iterable[Mapping[str, str]]) -> list[dict[str, float | str]]:
    """Convert rows of text: numbers become floats, and empty cells NaN."""
    return [{key: number(value) for key, value in row.items()} for row in rows]


def number(text: str) -> float | str:
    """Return a cell as a number if it is one, NaN if it is empty, else its text."""
    try:
        return float(text) if text else math.nan
    except ValueError:
        return text
