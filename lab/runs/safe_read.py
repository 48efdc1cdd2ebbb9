"""Reading files of a run's directory: a file that is missing or damaged ends in one line."""

import contextlib
import csv
import pathlib
import zipfile
from collections.abc import Iterator

import yaml
from yaml import YAMLError

from lab.errors import UserError

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
AGAIN = "run.force=true makes the run's files anew"
WRONG = (ValueError, TypeError, KeyError, EOFError, RecursionError, csv.Error, zipfile.BadZipFile, YAMLError)


def text(path: pathlib.Path) -> str | None:
    """Return the text of a file; None if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def from_yaml(content: str) -> object:
    """Return the entries of a YAML file, which has plain values alone.

    Raises:
        ValueError: the text is no YAML.
    """
    try:
        return yaml.load(content, LOADER)
    except Exception as error:  # the loader's own, and what it raises for values of a wrong form
        raise ValueError(str(error).strip().splitlines()[0] if str(error).strip() else "it is no YAML") from error


@contextlib.contextmanager
def legible(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield the path of a file to be read inside the `with` block.

    Raises:
        UserError: the file is missing, or the block raises one of WRONG.
    """
    try:
        yield path
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file; {AGAIN}") from error
    except WRONG as error:
        why = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise UserError(f"{path}: damaged, or not written by this lab ({why[0]}); {AGAIN}") from error
