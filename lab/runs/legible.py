"""Reading a file that may be missing, damaged, or not the lab's: an error is one line that names the file."""

import contextlib
import csv
import pathlib
import stat
import zipfile
from collections.abc import Iterator

from yaml import YAMLError

from lab.errors import UserError

AGAIN = "run.force=true makes the run's files anew"
LARGEST = 2**30  # most bytes of a file that is read whole, packed or unpacked
WRONG = (ValueError, TypeError, KeyError, EOFError, csv.Error, zipfile.BadZipFile, YAMLError)


@contextlib.contextmanager
def legible(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield the path of a file to be read inside the `with` block.

    Raises:
        UserError: the file is missing, a link, no regular file or too large, or the block raises one of WRONG.
    """
    try:
        _check(path)
        yield path
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file; {AGAIN}") from error
    except WRONG as error:
        why = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise UserError(f"{path}: damaged, or not written by this lab ({why[0]}); {AGAIN}") from error


def _check(path: pathlib.Path) -> None:
    """
    Raises:
        ValueError: the path is a link, which could lead anywhere, a pipe or device, which might never end, or too
            large.
    """
    if path.is_symlink():
        raise ValueError("it is a symbolic link")
    if path.exists():
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no regular file")
        check_size(status.st_size)


def check_size(size: int) -> None:
    """
    Raises:
        ValueError: the size is too large to be read at once.
    """
    if size > LARGEST:
        raise ValueError(f"it has {size:,} bytes, and at most {LARGEST:,} are read")
