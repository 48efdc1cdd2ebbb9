"""Removing from a run's directory what the lab wrote there, and nothing else: a user's own file stays, links too."""

import contextlib
import os
import pathlib

from lab.errors import UserError
from lab.runs import own_files, plain
from lab.runs.directory import LOCK

MARKS = ("DONE", "FAILED", own_files.WRITTEN)
FOLDERS = (*own_files.FOLDERS, "partial", own_files.AGAIN)  # whose contents the lab alone writes


def written(directory: pathlib.Path) -> list[pathlib.Path]:
    """Return the files in a run's directory that the lab has written, without its lock; links are none of them."""
    names = own_files.names(directory) or [name for name in own_files.NAMES if (directory / "summary.json").exists()]
    paths = [directory / name for name in dict.fromkeys((*names, *MARKS))]
    for folder in FOLDERS:
        if (directory / folder).is_dir() and not (directory / folder).is_symlink():
            paths += [pathlib.Path(entry.path) for entry in plain.files(directory / folder)]
    return [path for path in paths if path.is_file() and not path.is_symlink() and not path.parent.is_symlink()]


def remove(directory: pathlib.Path) -> bool:
    """Remove the lab's files of a run that no process works on, and return whether the folder went with them.

    Raises:
        UserError: a process works on it, or a file cannot be removed.
    """
    from filelock import FileLock, Timeout

    try:
        with FileLock(directory / LOCK).acquire(blocking=False):
            (directory / "DONE").unlink(missing_ok=True)  # a run that is half removed is not finished
            for path in sorted(written(directory), key=lambda path: path.name == own_files.WRITTEN):
                path.unlink(missing_ok=True)
            (directory / LOCK).unlink(missing_ok=True)
    except Timeout as error:
        raise UserError(f"{directory}: another process is at work there; nothing of it was removed") from error
    except OSError as error:
        raise UserError(f"{directory}: cannot be removed ({error.strerror})") from error
    _remove_empty(directory)
    return not directory.exists()


def _remove_empty(directory: pathlib.Path) -> None:
    """Remove the folders that have become empty, the directory's own and its experiment's among them."""
    own = [directory / name for name in ("figures", *FOLDERS)]
    inner = [path for top in own if not top.is_symlink() for path, _, _ in os.walk(top, topdown=False)]
    for path in (*inner, directory, directory.parent):
        with contextlib.suppress(OSError):  # a user's file is there, or it is a link
            os.rmdir(path)
