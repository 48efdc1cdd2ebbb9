"""The runs and sweeps below a folder, with state, time and size, by their files alone. Links are not followed."""

import dataclasses
import enum
import fcntl
import os
import pathlib

from lab.runs import own_files, safe_read
from lab.runs.directory import RunDirectory

# A run's directory has at least one of these files.
MARKS = ("config.yaml", "summary.json", "DONE", "FAILED", "partial", own_files.WRITTEN)


class State(enum.Enum):
    """The state of a run, by its files."""

    done = enum.auto()
    running = enum.auto()  # a process holds its lock
    failed = enum.auto()
    stopped = enum.auto()  # interrupted: the same command goes on


@dataclasses.dataclass(frozen=True)
class Listed:
    """The directory of a run or sweep.

    why: the reason of a failure, else "". changed: the time when it was done, failed, or was last written, in seconds
    since 1970. size: bytes of all files in it.
    """

    path: pathlib.Path
    state: State
    why: str
    changed: float
    size: int

    @property
    def name(self) -> str:
        """Return NAME/HASH."""
        return "/".join(self.path.parts[-2:])

    @property
    def experiment(self) -> str:
        """Return the name of the experiment, from the folder's name."""
        return self.path.parent.name


def listed(folder: str | pathlib.Path) -> list[Listed]:
    """Return the runs and sweeps below a run.dir, by name."""
    return [
        _listed(path)
        for experiment in safe_read.folders(folder)
        for path in safe_read.folders(experiment)
        if any(os.path.lexists(path / mark) for mark in MARKS)
    ]


def is_running(path: pathlib.Path) -> bool:
    """Return whether a process holds the lock of a run; the lock is not taken for it."""
    try:
        descriptor = os.open(RunDirectory(path).lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a disk without locks
        return False
    finally:
        os.close(descriptor)
    return False


def _listed(path: pathlib.Path) -> Listed:
    times, size = {}, 0
    for entry in safe_read.files(path):
        status = entry.stat(follow_symlinks=False)
        size += status.st_size
        if os.path.dirname(entry.path) == str(path):
            times[entry.name] = status.st_mtime
    state, why = _state(path, {*times})
    mark = {State.done: "DONE", State.failed: "FAILED"}.get(state, "")
    return Listed(path, state, why, times.get(mark) or max(times.values(), default=path.lstat().st_mtime), size)


def _state(path: pathlib.Path, names: set[str]) -> tuple[State, str]:
    if "DONE" in names:
        return State.done, ""
    if is_running(path):
        return State.running, ""
    if "FAILED" in names:
        lines = (safe_read.text(path / "FAILED") or "").strip().splitlines()
        return State.failed, lines[-1] if lines else "no reason is known"
    return State.stopped, ""
