"""Reading files of a folder that may be somebody else's: regular files alone, no links, none that is too large."""

import os
import pathlib
import stat
from collections.abc import Iterator

LARGEST = 2**26  # bytes of a file that is read


def text(path: pathlib.Path, largest: int = LARGEST) -> str | None:
    """Return the text of a regular file; None where there is none, or it is a link, or larger than `largest` bytes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe would block for ever
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
            return None
        return file.read().decode("utf-8", "replace")


def entries(folder: pathlib.Path | str) -> list[os.DirEntry]:
    """Return what is in a folder, by name; nothing where it cannot be read or is no folder."""
    try:
        with os.scandir(folder) as listed:
            return sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return []


def folders(folder: pathlib.Path | str) -> list[pathlib.Path]:
    """Return the folders in a folder, without hidden ones and links."""
    return [
        pathlib.Path(entry.path)
        for entry in entries(folder)
        if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
    ]


def files(folder: pathlib.Path | str) -> Iterator[os.DirEntry]:
    """Yield everything below a folder that is no folder; links are yielded and not followed."""
    for entry in entries(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from files(entry.path)
        else:
            yield entry
