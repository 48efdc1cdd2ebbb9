"""Reading files of a folder that may be somebody else's: only regular files, no links, nothing too large. Any fault of
a file's text is a ValueError.
"""

import contextlib
import csv
import json
import os
import pathlib
import stat
import zipfile
from collections.abc import Iterator

import yaml
from yaml import YAMLError

from lab.errors import UserError, printable

LARGEST = 2**26  # most bytes of a file
DEEPEST = 20  # most nested sections of a YAML file
LONGEST = 2**20  # most characters of a YAML file
DIGITS = 40  # most digits of a whole number: arithmetic with floats fails from 309 on, printing at some thousands
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def text(path: pathlib.Path, largest: int = LARGEST) -> str | None:
    """Return the text of a regular file; None if it is missing, a link, or larger than `largest` bytes."""
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


def from_json(content: str) -> object:
    """Return the entries of a JSON file.

    Raises:
        ValueError: the text is no JSON, or has a number with too many digits or too deeply nested sections.
    """
    try:
        return json.loads(content, parse_int=_whole)
    except RecursionError as error:
        raise ValueError("it has sections within too many others") from error


def from_yaml(content: str) -> object:
    """Return the entries of a YAML file.

    Raises:
        ValueError: the text is no YAML or too long, or has a number with too many digits, aliases (a short file could
            unfold to any size) or sections nested so deeply that the loader would end the process.
    """
    if len(content) > LONGEST:
        raise ValueError(f"it has {len(content):,} characters, and at most {LONGEST:,} are read")
    try:
        entries = _from_yaml(content)
    except ValueError:
        raise
    except Exception as error:  # the loader's own, and what it raises for values of a wrong form
        raise ValueError(str(error).strip().splitlines()[0] if str(error).strip() else "it is no YAML") from error
    _check_numbers(entries)
    return entries


def _whole(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError("it has a number of too many digits")
    return int(text)


def _check_numbers(entries: object) -> None:
    if isinstance(entries, dict):
        _check_numbers([*entries, *entries.values()])
    elif isinstance(entries, list | tuple | set):
        for entry in entries:
            _check_numbers(entry)
    elif isinstance(entries, int) and abs(entries) >= 10**DIGITS:
        raise ValueError("it has a number of too many digits")


def _from_yaml(content: str) -> object:
    depth = 0
    for event in yaml.parse(content, LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
            raise ValueError("it has aliases, or sections within too many others")
    return yaml.load(content, LOADER)


def entries(folder: pathlib.Path | str) -> list[os.DirEntry]:
    """Return the entries of a folder, by name; [] if it cannot be read or is no folder."""
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
    """Yield all files below a folder. Links are yielded and not followed."""
    for entry in entries(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from files(entry.path)
        else:
            yield entry


AGAIN = "run.force=true makes the run's files anew"
LARGEST_WHOLE = 2**30  # most bytes of a file that is read whole, packed or unpacked
WRONG = (ValueError, TypeError, KeyError, EOFError, csv.Error, zipfile.BadZipFile, YAMLError)


@contextlib.contextmanager
def legible(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield the path of a file to be read inside the `with` block.

    Raises:
        UserError: the file is missing, a link, no regular file or too large, or the block raises one of WRONG.
    """
    try:
        _check_file(path)
        yield path
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file; {AGAIN}") from error
    except WRONG as error:
        why = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise UserError(f"{path}: damaged, or not written by this lab ({why[0]}); {AGAIN}") from error


def _check_file(path: pathlib.Path) -> None:
    """Refuse (ValueError) links, which could lead anywhere, pipes, which might never end, and large files."""
    if path.is_symlink():
        raise ValueError("it is a symbolic link")
    if path.exists():
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no regular file")
        check_size(status.st_size)


def check_size(size: int) -> None:
    """Refuse (ValueError) a size that is too large to be read at once."""
    if size > LARGEST_WHOLE:
        raise ValueError(f"it has {size:,} bytes, and at most {LARGEST_WHOLE:,} are read")


OF_OTHERS = {"tensorboard", "wandb"}  # folders that other software writes and the lab never reads


def refuse_links(directory: pathlib.Path) -> None:
    """Check that everything in a directory is a regular file or a folder. A missing directory passes.

    It may come from somebody else. A symbolic link inside it could lead anywhere, and drawing the run again would read
    or overwrite the files there. The directory itself and the folders above it may be the user's own links, such as
    `runs` on a larger disk.

    Raises:
        UserError: something is a link, or neither a file nor a folder; the message names it.
    """
    if not directory.is_dir():
        return
    for entry in _entries(directory):
        place = printable(os.path.relpath(entry.path, directory))
        if entry.is_symlink():
            raise UserError(f"{directory}: {place} is a symbolic link; put the file itself there, or remove the link")
        if not entry.is_dir(follow_symlinks=False) and not entry.is_file(follow_symlinks=False):
            raise UserError(f"{directory}: {place} is neither a file nor a folder; remove it")


def _entries(directory: pathlib.Path) -> Iterator[os.DirEntry]:
    """Yield the entries of a directory and of its folders, in the order of the names."""
    waiting = [str(directory)]
    while waiting:
        with os.scandir(waiting.pop()) as content:
            entries = sorted(content, key=lambda entry: entry.name)
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False) and entry.name not in OF_OTHERS:
                waiting.append(entry.path)
