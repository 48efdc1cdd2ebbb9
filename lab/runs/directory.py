"""A run's directory, `<run.dir>/<experiment>/<hash of the settings>/`, and its files. A run is made in `HASH.tmp`
beside it, which is renamed when all is done.

    config.yaml  environment.json  provenance.json      settings, machine, code
    metrics.jsonl  summary.json  *.csv  *.npz           a line per evaluation, the result, tables, arrays
    learner_*.npz  checkpoints/                         trained learners, saved states (the last, once it is finished)
    figures/*.png, *.svg, *.pdf  report.html            what is drawn from them
    tensorboard/  wandb/                                of a tracker, if one was asked for
    DONE  FAILED                                        written last; in HASH.tmp: why it is not done

A sweep's directory has the same, less what belongs to one run, and points.csv: one row per point, with its directory.
"""

import contextlib
import json
import pathlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lab.config.base import Base
from lab.config.identity import config_hash, to_yaml
from lab.errors import Busy, UserError, printable
from lab.runs import interrupt, own_files
from lab.runs.environment import environment
from lab.runs.files import Folder
from lab.runs.hosts import on_first_process
from lab.runs.provenance import PROVENANCE, provenance
from lab.runs.safe_read import refuse_links

if TYPE_CHECKING:
    from filelock import FileLock

LOCKS = ".locks"  # the folder in run.dir for locks
TEMPORARY = ".tmp"  # the ending of a run's name until it is done
RUN = re.compile(r"(?:\.\./(?P<name>(?!\.\.?/)[^/\\\x00]+)/)?(?P<hash>(?!\.\.?$)[^/\\\x00]+)")
PATIENCE = 1.0  # seconds between looks for signals while a process waits for a lock


class RunDirectory(Folder):
    """The files of one run or sweep, and whether it is done, has failed, or is still at work."""

    @classmethod
    def of(cls, settings: Base) -> "RunDirectory":
        return cls(pathlib.Path(settings.run.dir) / settings.name / config_hash(settings))

    def points(self) -> dict[str, "RunDirectory"]:
        """Return {name: directory} of a sweep's finished points; {} for a single run."""
        return {name: directory for name, directory in self.places().items() if directory.done}

    def places(self) -> "dict[str, RunDirectory]":
        """Return {name: directory} of all points of a sweep, from points.csv; {} for a single run.

        Raises:
            UserError: a point's directory is not in the sweep's `run.dir`.
        """
        rows = self.read_text_table("points") if self.has_table("points") else []
        return {row["point"]: self._place(row["run"]) for row in rows if "run" in row}

    def _place(self, run: str) -> "RunDirectory":
        """Return the directory for an entry of points.csv: `HASH`, of the same experiment, or `../NAME/HASH`."""
        if match := RUN.fullmatch(run):
            folder = self.path.parent
            path = (folder.parent / match["name"] if match["name"] else folder) / match["hash"]
            if path != self.path:
                return RunDirectory(path)
        raise UserError(
            f"{self.path / 'points.csv'}: {printable(run)!r} is not the directory of a run beside it; allowed are HASH "
            "and ../NAME/HASH"
        )

    @property
    def unfinished(self) -> "RunDirectory":
        """The directory in which the run is made, while an earlier result stays."""
        return RunDirectory(self.path.with_name(self.path.name + TEMPORARY))

    @property
    def latest(self) -> "RunDirectory":
        """The run's directory if it is done, else its unfinished directory."""
        return self if self.done else self.unfinished

    def settle(self, settings: Base) -> None:
        """Make sure that only a complete result has the run's name, unless another process is at work on it.

        A process may have been killed between DONE and the renaming, and earlier versions of the lab left unfinished
        runs under their final names.
        """
        if self._is_unsettled():
            with contextlib.suppress(Busy), self.locked(settings):
                pass

    @on_first_process
    def _is_unsettled(self) -> bool:
        half_way = self.path.is_dir() and not (self.path / "DONE").exists()
        return half_way or (self.unfinished.path / "DONE").exists() or own_files.replaced(self.path).exists()

    @on_first_process
    def _settle(self) -> None:
        if (self.unfinished.path / "DONE").exists() or (self.path / "DONE").exists():
            own_files.replace(self.path, self.unfinished.path)
        elif self.path.is_dir() and not self.unfinished.path.exists():
            self.path.rename(self.unfinished.path)

    @on_first_process
    def take_place(self) -> None:
        """Rename the finished run to its name, in place of an earlier result. The user's own files in that stay."""
        own_files.replace(self.path, self.unfinished.path)

    @on_first_process
    def reopen(self) -> None:
        """Turn a finished result into an unfinished one: today's settings would make another."""
        own_files.merge(self.unfinished.path, self.path)  # a repetition that was stopped
        (self.path / "DONE").unlink(missing_ok=True)
        self._settle()

    @property
    def lock(self) -> pathlib.Path:
        """The file that a process locks while it works on the run."""
        folder = self.path.parent
        return folder.parent / LOCKS / f"{folder.name}.{self.path.name.removesuffix(TEMPORARY)}"

    @property
    @on_first_process
    def done(self) -> bool:
        return (self.path / "DONE").exists()

    @property
    @on_first_process
    def done_at(self) -> int:
        """The time at which it was done, in nanoseconds since 1970."""
        return (self.path / "DONE").stat().st_mtime_ns

    @property
    @on_first_process
    def failed(self) -> bool:
        return (self.path / "FAILED").exists()

    @property
    @on_first_process
    def failure(self) -> str:
        """The reason why a run is not done, in one line."""
        return self.read_text("FAILED").strip() if self.failed else "it was not run"

    @contextlib.contextmanager
    def locked(self, settings: Base) -> Iterator[None]:
        """Lock this run against other processes, on this machine or on a shared disk that supports locks, and settle
        what the last one may have left.

        Raises:
            Busy: another process works on it.
            UserError: the lock cannot be made, or the run's directory contains a link.
        """
        from filelock import FileLock

        lock = FileLock(self.lock)
        new_folders = self._lock(lock, settings)
        try:
            self._settle()
            yield
        finally:
            lock.release()
            self._remove_if_empty(new_folders)

    @on_first_process
    def wait(self) -> None:
        """Wait until no other process works on the run."""
        from filelock import FileLock, Timeout

        while self.lock.exists():
            interrupt.check()
            with contextlib.suppress(Timeout), FileLock(self.lock).acquire(timeout=PATIENCE):
                return

    @on_first_process
    def _remove_if_empty(self, new_folders: list[pathlib.Path]) -> None:
        """Remove the folders that were made for the lock, if nothing was written into them."""
        if new_folders and [*self.path.parent.parent.iterdir()] in ([self.lock.parent], []):
            with contextlib.suppress(OSError):  # a parent that has something else in it
                self.lock.unlink(missing_ok=True)
                for folder in new_folders:
                    folder.rmdir()

    @on_first_process
    def _lock(self, lock: "FileLock", settings: Base) -> list[pathlib.Path]:
        """Acquire the lock, and return the folders that had to be made for it, innermost first."""
        from filelock import Timeout

        for path in (self.lock, self.unfinished.path, own_files.replaced(self.path)):
            if path.is_symlink():
                raise UserError(f"{path}: it is a symbolic link; remove the link")
        refuse_links(self.path)
        refuse_links(self.unfinished.path)
        new_folders = [folder for folder in self.lock.parents if not folder.exists()]
        with self._writable(settings):
            self.lock.parent.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(blocking=False)
            except Timeout as error:
                raise Busy(f"{self.path}: another process is at work there; wait for it, or give a run.dir") from error
        return new_folders

    @on_first_process
    def begin(self, settings: Base, earlier: Mapping[str, dict] | None = None) -> None:
        """Write settings, environment and provenance, and remove the lab's earlier files except checkpoints.

        Args:
            earlier: the provenance of the checkpoint that the run goes on from (`lab.runs.provenance.Makers`).

        Raises:
            UserError: the directory cannot be made or written.
        """
        with self._writable(settings):
            (self.path / "figures").mkdir(parents=True, exist_ok=True)
            (self.path / "DONE").unlink(missing_ok=True)
            own_files.clear(self.path)
            for folder, pattern in own_files.TRACKERS.items():  # trackers' files are made anew from metrics.jsonl
                own_files.remove(self.path / folder, pattern)
            self.write_text("config.yaml", to_yaml(settings))
            self.write_text("environment.json", json.dumps(environment(settings.use), indent=2))
            if not settings.has_points:  # a sweep is made of its points
                self.write_text(PROVENANCE, json.dumps(provenance(settings, earlier), indent=1))

    @contextlib.contextmanager
    def _writable(self, settings: Base) -> Iterator[None]:
        """Turn errors of the file system into a UserError that names `run.dir`."""
        try:
            yield
        except OSError as error:
            raise UserError(
                f"run.dir={settings.run.dir}: cannot write {self.path} ({error.strerror}); give a writable directory"
            ) from error

    @on_first_process
    def finish(self) -> None:
        """Write DONE, after all else is on disk."""
        own_files.sync(self.path)
        self.write_text("DONE", "")

    @on_first_process
    def fail(self, why: str) -> None:
        """Write the reason into FAILED, if the directory can be written and is no link; the next `begin` removes the
        file."""
        if self.path.is_symlink():
            return
        with contextlib.suppress(OSError):
            self.path.mkdir(parents=True, exist_ok=True)
            self.write_text("FAILED", why)
