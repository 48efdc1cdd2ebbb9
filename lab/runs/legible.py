"""Reading a file that may be missing, damaged, or not the lab's: what is wrong with it, in one line."""

import contextlib
import csv
import pathlib
import zipfile
from collections.abc import Iterator

from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from lab.errors import UserError

AGAIN = "run.force=true makes the run's files anew"
WRONG = (ValueError, TypeError, KeyError, EOFError, csv.Error, zipfile.BadZipFile, YAMLError, OmegaConfBaseException)


@contextlib.contextmanager
def legible(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields what to read.

    Raises:
        UserError: it is not there, or its reader fails.
    """
    try:
        yield path
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file; {AGAIN}") from error
    except WRONG as error:
        why = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise UserError(f"{path}: damaged, or not written by this lab ({why[0]}); {AGAIN}") from error
