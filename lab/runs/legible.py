"""Reading a file that may be missing, damaged, or not the lab's: such a file ends in an error message of one line."""

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
    """Yield the path of a file to be read inside the `with` block.

    Raises:
        UserError: the file does not exist, or the block raises one of the errors WRONG.
    """
    try:
        yield path
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file; {AGAIN}") from error
    except WRONG as error:
        why = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise UserError(f"{path}: damaged, or not written by this lab ({why[0]}); {AGAIN}") from error
