"""Reading files of a folder that may be somebody else's: regular files alone, no links, none that is too large."""

import os
import pathlib
import stat
from collections.abc import Iterator

import yaml

LARGEST = 2**26  # bytes of a file that is read
DEEPEST = 20  # sections within one another in a YAML file
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def text(path: pathlib.Path, largest: int = LARGEST) -> str | None:
    """Return the text of a regular file; None where there is none, or it is a link, or larger than `largest` bytes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe would block for ever
    except OSError:
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        return file.read().decode("utf-8", "replace")


def from_yaml(content: str) -> object:
    """Return the entries of a YAML file.

    Raises:
        ValueError: it has aliases, by which a short file unfolds to any size, or sections within one another so deep
            that the loader would end the process.
        YAMLError: it is no YAML.
    """
    depth = 0
    for event in yaml.parse(content, LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
            raise ValueError("it has aliases, or sections within too many others")
    return yaml.load(content, LOADER)


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
