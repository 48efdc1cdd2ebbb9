"""Removing from a run's directory what the lab wrote there, and nothing else: a user's own file stays, links too."""

import contextlib
import pathlib

from lab.errors import UserError
from lab.runs import own_files
from lab.runs.directory import LOCK


def written(directory: pathlib.Path) -> list[pathlib.Path]:
    """Return the files in a run's directory that the lab has written, without its lock; links are none of them."""
    places = [directory, *([again] if not (again := directory / own_files.AGAIN).is_symlink() else [])]
    paths = [path for place in places for path in _written(place)]
    return [path for path in paths if path.is_file() and not path.is_symlink() and not path.parent.is_symlink()]


def remove(directory: pathlib.Path) -> bool:
    """Remove the lab's files of a run that no process works on, and return whether the folder went with them.

    Raises:
        UserError: a process works on it, or a file cannot be removed.
    """
    from filelock import FileLock, Timeout

    if (directory / LOCK).is_symlink():
        raise UserError(f"{directory}: {LOCK} is a symbolic link; remove the link")
    try:
        with FileLock(directory / LOCK).acquire(blocking=False):
            (directory / "DONE").unlink(missing_ok=True)  # a run that is half removed is not finished
            if not (again := directory / own_files.AGAIN).is_symlink():
                own_files.remove_all(again)
            own_files.remove_all(directory)
            (directory / LOCK).unlink(missing_ok=True)
    except Timeout as error:
        raise UserError(f"{directory}: another process is at work there; nothing of it was removed") from error
    except OSError as error:
        raise UserError(f"{directory}: cannot be removed ({error.strerror})") from error
    for folder in (directory, directory.parent):
        with contextlib.suppress(OSError):  # a file of the user's is in it
            folder.rmdir()
    return not directory.exists()


def _written(place: pathlib.Path) -> list[pathlib.Path]:
    names = own_files.names(place) or [name for name in own_files.NAMES if (place / "summary.json").is_file()]
    paths = [place / name for name in dict.fromkeys((*names, own_files.WRITTEN))]
    for folder, pattern in own_files.GENERATED.items():
        paths += own_files.matching(place / folder, pattern)
    return paths
