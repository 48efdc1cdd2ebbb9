"""Checks of directories that somebody else sent, or that were damaged: an error is one line that says what is wrong.

Nothing in these directories is executed: tables are text, arrays are read without pickle, and figures are looked up by
name. Nothing outside is read or written, except the points of a sweep, which lie beside it in the same `run.dir`: no
link is followed, and every file is written under a temporary name and then renamed (SECURITY.md).
"""

import contextlib
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from lab.config import user_code
from lab.errors import UserError, explain, printable
from lab.runs.directory import RunDirectory
from lab.runs.safe_read import AGAIN, refuse_links

ENTRIES = {  # the entries of a summary that a page needs, and their types
    "experiment": str, "kind": str, "command": str, "figure": str, "settings": dict, "tables": list, "notes": list,
    "seconds": dict,
}  # fmt: skip
TABLE = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]*")  # a name that stays in its directory


def check_summary(directory: RunDirectory, more: Mapping[str, type] = MappingProxyType({})) -> None:
    """Check that a directory has a summary with all entries that a report needs, and names only tables beside it.

    Args:
        more: {entry: its type} of further required entries.

    Raises:
        UserError: there is no summary, or it is not of the lab's form.
    """
    summary = directory.read_summary()
    for key, kind in {**ENTRIES, **more}.items():
        if not isinstance(summary.get(key), kind):
            raise UserError(f"{directory.path / 'summary.json'}: not a summary of this lab, see {key}; {AGAIN}")
    for name in summary["tables"]:
        if not isinstance(name, str) or not TABLE.fullmatch(name):
            raise UserError(f"{directory.path / 'summary.json'}: {name!r} is not the name of a table beside it")


def check(directory: RunDirectory) -> None:
    """Read all files that a report needs, before anything is written.

    Raises:
        UserError: a file is missing or damaged, its entries are not of the lab's form, or something leads elsewhere.
    """
    refuse_links(directory.path)
    check_summary(directory)
    for name in directory.read_summary()["tables"]:
        directory.read_text_table(name)
    directory.read_config()
    directory.read_environment()
    if directory.has_arrays("circuits"):
        directory.read_arrays("circuits")
    _check_points(directory)


def _check_points(directory: RunDirectory) -> None:
    """Check that the directories of a sweep's points are in the sweep's `run.dir`, and have no links."""
    together = directory.path.parent.parent.resolve()
    for point in directory.places().values():
        if point.path.is_symlink() or not point.path.resolve().is_relative_to(together):
            raise UserError(
                f"{directory.path / 'points.csv'}: {point.path} is a link, or below one that leads elsewhere"
            )
        refuse_links(point.path)


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
