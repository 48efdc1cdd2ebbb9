"""Where a run leaves its files: `<run.dir>/<experiment>/<hash of the configuration>/`.

config.yaml  environment.json  metrics.jsonl (a line an evaluation)  *.csv (tables)  parameters.npz  summary.json
figures/*.png, *.pdf  report.html  DONE (written last: without it the run is not finished)  FAILED (why it is not)
checkpoints/ (until it is done)  tensorboard/, wandb/ (of a tracker, if one was asked for)

A sweep's directory has the same, less what belongs to one run, and points.csv: a row a point, with the name of its
directory beside this one.
"""

import contextlib
import csv
import hashlib
import json
import math
import os
import pathlib
import shutil
from collections.abc import Iterable

import numpy as np
from omegaconf import OmegaConf

from lab.choices import Tracker
from lab.config import Config, result_keys
from lab.environment import environment
from lab.errors import UserError
from lab.hosts import told

METRICS, LOCK = "metrics.jsonl", ".lock"


def config_hash(config: Config) -> str:
    """Ten hexadecimal digits of what the results depend on: the same settings have the same name."""
    text = json.dumps(result_keys(config), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


class RunDirectory:
    """One run's files. Every whole file is written beside its name and moved there, so none is ever half-written.

    Of several processes that train together the first alone reads and writes them, and tells the others.
    """

    def __init__(self, path: pathlib.Path):
        self.path = path

    @classmethod
    def of(cls, config: Config) -> "RunDirectory":
        return cls(pathlib.Path(config.run.dir) / config.name / config_hash(config))

    def points(self) -> dict[str, "RunDirectory"]:
        """Those of a sweep's points that are done, by their names; none for a single run."""
        rows = self.read_text_table("points") if self.has_table("points") else []
        directories = {row["point"]: RunDirectory(self.path.parent / row["run"]) for row in rows}
        return {name: directory for name, directory in directories.items() if directory.done}

    @property
    @told
    def done(self) -> bool:
        return (self.path / "DONE").exists()

    @property
    @told
    def failed(self) -> bool:
        return (self.path / "FAILED").exists()

    @property
    @told
    def failure(self) -> str:
        """Why a run that is not done is not."""
        return (self.path / "FAILED").read_text(encoding="utf-8").strip() if self.failed else "it was not run"

    @contextlib.contextmanager
    def claimed(self, config: Config):
        """Nobody else works in this directory meanwhile, on this machine or on a disk that knows locks.

        Raises:
            UserError: somebody does, or the directory cannot be made.
        """
        from filelock import FileLock

        lock = FileLock(self.path / LOCK)
        self._lock(lock, config)
        try:
            yield
        finally:
            lock.release()

    @told
    def _lock(self, lock, config: Config) -> None:
        from filelock import Timeout

        with self._writable(config):
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(blocking=False)
            except Timeout as error:
                raise UserError(
                    f"{self.path}: another process is at work there; wait for it, or give a run.dir"
                ) from error

    @told
    def begin(self, config: Config, metrics_bytes: int = 0) -> None:
        """Say in the directory what is about to run; what is there from before is removed, but for checkpoints and the
        first bytes of metrics.jsonl, if the run goes on from there.

        Raises:
            UserError: the directory cannot be made or written.
        """
        with self._writable(config):
            (self.path / "figures").mkdir(parents=True, exist_ok=True)
            for stale in [self.path / "DONE", *self.path.iterdir(), *(self.path / "figures").iterdir()]:
                if not stale.is_dir() and stale.name != LOCK and not (metrics_bytes and stale.name == METRICS):
                    stale.unlink(missing_ok=True)
            for tracker in Tracker:  # these are made anew from metrics.jsonl
                shutil.rmtree(self.path / tracker.name, ignore_errors=True)
            if metrics_bytes:
                os.truncate(self.path / METRICS, metrics_bytes)
            self.write_text("config.yaml", OmegaConf.to_yaml(OmegaConf.structured(config)))
            self.write_text("environment.json", json.dumps(environment(), indent=2))

    @contextlib.contextmanager
    def _writable(self, config: Config):
        try:
            yield
        except OSError as error:
            raise UserError(
                f"run.dir={config.run.dir}: cannot write {self.path} ({error.strerror}); give a writable directory"
            ) from error

    @property
    @told
    def metrics_bytes(self) -> int:
        return (self.path / METRICS).stat().st_size

    def finish(self) -> None:
        self.write_text("DONE", "")

    @told
    def fail(self, why: str) -> None:
        """Say why there is no DONE, where the directory can be written; the next begin() tries again."""
        with contextlib.suppress(OSError):
            self.path.mkdir(parents=True, exist_ok=True)
            self.write_text("FAILED", why)

    @told
    def append_metrics(self, line: dict) -> None:
        """One line of metrics.jsonl, on disk when this returns."""
        with open(self.path / METRICS, "a", encoding="utf-8") as file:
            file.write(json.dumps(_finite(line), allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def write_summary(self, summary: dict) -> None:
        self.write_text("summary.json", json.dumps(_finite(summary), indent=2, allow_nan=False) + "\n")

    @told
    def read_summary(self) -> dict:
        return json.loads((self.path / "summary.json").read_text(encoding="utf-8"))

    @told
    def read_config(self) -> dict:
        return OmegaConf.to_container(OmegaConf.load(self.path / "config.yaml"))

    @told
    def read_environment(self) -> dict:
        return json.loads((self.path / "environment.json").read_text(encoding="utf-8"))

    @told
    def write_table(self, name: str, rows: Iterable[dict]) -> None:
        """`name`.csv, a row a dictionary; a column that a row does not have is empty there."""
        rows = list(rows)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        temporary = self.path / f".{name}.csv"
        with open(temporary, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=columns)
            writer.writeheader()
            writer.writerows(rows)
        temporary.replace(self.path / f"{name}.csv")

    @told
    def has_table(self, name: str) -> bool:
        return (self.path / f"{name}.csv").exists()

    def read_table(self, name: str) -> list[dict[str, float | str]]:
        """The rows of `name`.csv, numbers as numbers."""
        return [{key: _number(value) for key, value in row.items()} for row in self.read_text_table(name)]

    @told
    def read_text_table(self, name: str) -> list[dict[str, str]]:
        """The rows of `name`.csv as they are written."""
        with open(self.path / f"{name}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @told
    def write_arrays(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        """`name`.npz."""
        temporary = self.path / f".{name}.npz"
        np.savez(temporary, **arrays)
        temporary.replace(self.path / f"{name}.npz")

    @told
    def has_arrays(self, name: str) -> bool:
        return (self.path / f"{name}.npz").exists()

    @told
    def read_arrays(self, name: str) -> dict[str, np.ndarray]:
        """What `write_arrays` wrote."""
        with np.load(self.path / f"{name}.npz") as file:
            return dict(file)

    @told
    def write_text(self, name: str, text: str) -> None:
        temporary = self.path / f".{name}"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(self.path / name)


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
