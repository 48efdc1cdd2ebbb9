"""Checks of directories that somebody else sent, or that were damaged: an error is one line that says what is wrong.

Nothing in these directories is executed: tables are text, arrays are read without pickle, and figures are looked up by
name (SECURITY.md).
"""

import contextlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from lab.config import user_code
from lab.errors import UserError, explain, printable
from lab.runs.directory import RunDirectory
from lab.runs.safe_read import AGAIN

ENTRIES = {  # the entries of a summary that a page needs, and their types
    "experiment": str, "kind": str, "command": str, "figure": str, "settings": dict, "tables": list, "notes": list,
    "seconds": dict,
}  # fmt: skip


def check_summary(directory: RunDirectory, more: Mapping[str, type] = MappingProxyType({})) -> None:
    """Check that a directory has a summary with all entries that a report needs.

    Args:
        more: {entry: its type} of further required entries.

    Raises:
        UserError: there is no summary, or it is not of the lab's form.
    """
    summary = directory.read_summary()
    for key, kind in {**ENTRIES, **more}.items():
        if not isinstance(summary.get(key), kind):
            raise UserError(f"{directory.path / 'summary.json'}: not a summary of this lab, see {key}; {AGAIN}")


def check(directory: RunDirectory) -> None:
    """Read all files that a report needs, before anything is written.

    Raises:
        UserError: a file is missing or damaged, or its entries are not of the lab's form.
    """
    check_summary(directory)
    for name in directory.read_summary()["tables"]:
        directory.read_text_table(name)
    directory.read_config()
    directory.read_environment()
    if directory.has_arrays("circuits"):
        directory.read_arrays("circuits")


@contextlib.contextmanager
def explained(directory: RunDirectory, word: str = "report=") -> Iterator[None]:
    """Turn an error of reading a directory, or of drawing its report, into a UserError of one line.

    For a run with a user's own code the error itself is raised, as the user needs its traceback.

    Args:
        word: the text in front of the directory in the line.
    """
    try:
        yield
    except UserError as error:
        raise UserError(printable(str(error))) from error
    except Exception as error:
        if (use := directory.read_config().get("use")) and user_code.is_imported(str(use)):
            raise
        if line := explain(error):
            raise UserError(printable(line)) from error
        why = ": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]])
        line = f"{word}{directory.path}: its files are damaged or of another version of this lab ({why}); get them "
        raise UserError(printable(f"{line}again, or repeat the run with run.force=true")) from error
