"""Checks of directories that somebody else sent, or that were damaged: an error is one line that says what is wrong.

Nothing in such a directory is executed: tables are text, arrays are read without pickle, and figures are looked up by
name.
"""

import contextlib
import re
from collections.abc import Iterator

from lab.config import own_code
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from lab.runs.legible import AGAIN

ENTRIES = {  # the entries of a summary that a page needs, and their types
    "experiment": str, "kind": str, "command": str, "figure": str, "settings": dict, "tables": list, "notes": list,
    "seconds": dict,
}  # fmt: skip
TABLE = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]*")  # a name that stays in its directory


def check_summary(directory: RunDirectory) -> None:
    """Check that a directory has a summary with all entries that a report needs.

    Raises:
        UserError: there is no summary, or it is not of the lab's form.
    """
    summary = directory.read_summary()
    for key, kind in ENTRIES.items():
        if not isinstance(summary.get(key), kind):
            raise UserError(f"{directory.path / 'summary.json'}: not a summary of this lab, see {key}; {AGAIN}")


def check(directory: RunDirectory) -> None:
    """Read all files that a report needs, before anything is written.

    Raises:
        UserError: a file is missing or damaged, or its entries are not of the lab's form.
    """
    check_summary(directory)
    for name in directory.read_summary()["tables"]:
        if not isinstance(name, str) or not TABLE.fullmatch(name):
            raise UserError(f"{directory.path / 'summary.json'}: {name!r} is not the name of a table beside it")
        directory.read_text_table(name)
    directory.read_config()
    directory.read_environment()
    if directory.has_arrays("circuits"):
        directory.read_arrays("circuits")


@contextlib.contextmanager
def explained(directory: RunDirectory) -> Iterator[None]:
    """Turn an error of drawing a directory's report into a UserError of one line.

    The error itself is raised where the run has code of the user's own, who needs its traceback.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if (use := directory.read_config().get("use")) and own_code.is_imported(str(use)):
            raise
        why = ": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]])
        raise UserError(
            f"report={directory.path}: its files are damaged or of another version of this lab ({why}); get them "
            "again, or repeat the run with run.force=true"
        ) from error
