"""Reading and writing a folder's files: tables, arrays, settings, and a line at a time."""

import contextlib
import csv
import json
import math
import os
import pathlib
from collections.abc import Callable, Iterable

import numpy as np
import yaml

from lab.runs import own_files
from lab.runs.hosts import on_first_process
from lab.runs.legible import legible

METRICS = "metrics.jsonl"


class Folder:
    """Every whole file is written beside its name and moved there, so none is ever half-written. Their names are kept
    (`own_files`).

    Of several processes that train together the first alone reads and writes them, and tells the others.
    """

    def __init__(self, path: pathlib.Path):
        self.path = path

    @on_first_process
    def append_metrics(self, line: dict) -> None:
        """One line of metrics.jsonl, on disk when this returns."""
        own_files.note(self.path, METRICS)
        with open(self.path / METRICS, "a", encoding="utf-8") as file:
            file.write(json.dumps(_finite(line), allow_nan=False) + "\n")
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
        return self._mapping("summary.json", json.loads)

    @on_first_process
    def read_config(self) -> dict:
        # OmegaConf's own loader takes eight times as long.
        return self._mapping("config.yaml", lambda text: yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))

    @on_first_process
    def read_environment(self) -> dict:
        return self._mapping("environment.json", json.loads)

    @on_first_process
    def write_table(self, name: str, rows: Iterable[dict]) -> None:
        """`name`.csv, a row a dictionary; a column that a row does not have is empty there."""
        rows = list(rows)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        with self._whole(f"{name}.csv") as path, open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=columns)
            writer.writeheader()
            writer.writerows(rows)

    @on_first_process
    def has_table(self, name: str) -> bool:
        return (self.path / f"{name}.csv").exists()

    def read_table(self, name: str) -> list[dict[str, float | str]]:
        """The rows of `name`.csv, numbers as numbers."""
        return [{key: _number(value) for key, value in row.items()} for row in self.read_text_table(name)]

    @on_first_process
    def read_text_table(self, name: str) -> list[dict[str, str]]:
        """The rows of `name`.csv as they are written."""
        with legible(self.path / f"{name}.csv") as path, open(path, newline="", encoding="utf-8") as file:
            return [_whole_row(row) for row in csv.DictReader(file)]

    @on_first_process
    def write_arrays(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        """`name`.npz."""
        with self._whole(f"{name}.npz") as path:
            np.savez(path, **arrays)

    @on_first_process
    def has_arrays(self, name: str) -> bool:
        return (self.path / f"{name}.npz").exists()

    @on_first_process
    def read_arrays(self, name: str) -> dict[str, np.ndarray]:
        """What `write_arrays` wrote."""
        # Opened here, as NumPy leaves a file open that is no archive.
        with legible(self.path / f"{name}.npz") as path, open(path, "rb") as stream, np.load(stream) as file:
            return dict(file)

    @on_first_process
    def write_text(self, name: str, text: str) -> None:
        with self._whole(name) as path:
            path.write_text(text, encoding="utf-8")

    def _mapping(self, name: str, parse: Callable[[str], object]) -> dict:
        with legible(self.path / name) as path:
            if not isinstance(found := parse(path.read_text(encoding="utf-8")), dict):
                raise ValueError("its entries have no names")
        return found

    @on_first_process
    def note(self, name: str) -> None:
        """That a file is the lab's own, before it is written by other means (`figures/NAME.png`, say)."""
        own_files.note(self.path, name)

    @contextlib.contextmanager
    def _whole(self, name: str):
        """Yields where to write; it is there under its name when it is whole."""
        own_files.note(self.path, name)
        temporary = self.path / f".{name}"
        yield temporary
        temporary.replace(self.path / name)


def _whole_row(row: dict) -> dict[str, str]:
    """One of a table whose rows all have as many cells as the first."""
    if None in row or None in row.values():
        raise ValueError("a row has more or fewer cells than there are columns")
    return row


def _finite(value):
    """The same with None for numbers that JSON does not have: infinite ones, and those that are not a number."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(text: str) -> float | str:
    try:
        return float(text) if text else math.nan
    except ValueError:
        return text
