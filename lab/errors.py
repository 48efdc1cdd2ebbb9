"""Errors that a user can put right, each reported in one line that names the key and the allowed values."""

import contextlib
import difflib
import errno
import os
from collections.abc import Iterator, Sequence

from tasks.errors import DataError
from tasks.settings import TaskError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG}  # also in texts of what other languages' writers raise
CANNOT_WRITE = {*FULL, errno.EACCES, errno.EPERM, errno.EIO, errno.EEXIST, errno.EISDIR, errno.ENOTDIR}
LONGEST = 100  # characters of a word that a message shows


class UserError(Exception):
    """An error that the user can put right; they see its message, which is one line."""


class ConfigError(UserError):
    """A setting has a value that is not allowed."""


class Busy(UserError):
    """Another process is at work in a directory."""


class TooLarge(UserError):
    """The settings ask for more than this machine computes.

    lengths: of the axes of the largest array that they ask for, by which the key to lower is found.
    """

    def __init__(self, problem: str, lengths: Sequence[int] = ()):
        super().__init__(problem)
        self.lengths = tuple(lengths)


class NoMemory(TooLarge):
    """A device of this process has too little memory; other devices may have enough."""


class NotFinite(UserError):
    """A number on its way into a result is NaN or infinite."""


class Diverged(UserError):
    """The training loss is no longer a finite number."""


@contextlib.contextmanager
def writing(what: object) -> Iterator[None]:
    """Let an error of the file system that names no file, as a full disk does, name what was written meanwhile."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(what)
        raise


def explain(error: Exception) -> str | None:
    """Return one line for an error that the user can put right; None for any other, which needs its traceback."""
    if isinstance(error, UserError | DataError | TaskError):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.errno in CANNOT_WRITE:
        where = error.filename2 or error.filename or "the output"
        return f"cannot write {where} ({error.strerror}); what is done is kept"
    if any(os.strerror(number) in str(error) for number in FULL):
        return f"cannot write the output ({printable(str(error))}); what is done is kept"
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the folder in which this was called is no longer there; go to another one"
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):
        return f"{str(error).rpartition(' ')[2]}: a symbolic link that leads to itself"
    if isinstance(error, RuntimeError) and "home directory" in str(error):  # of a name with ~, or of this user
        return f"{str(error).rstrip('.')}; set HOME, or give a path without ~"
    if isinstance(error, ValueError) and str(error) == "embedded null byte":
        return "a name has a null character, which no file system allows"
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return f"{short(str(error.filename))}: the name is longer than the file system allows; give a shorter one"
    return None


def printable(text: str) -> str:
    """Return a text of unknown origin as one line that a terminal only shows: control characters as escapes.

    >>> printable("a name\\nof two lines, \\x1b[31mred")
    'a name\\\\nof two lines, \\\\x1b[31mred'
    """
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def short(word: str) -> str:
    """Return a word of the command line as a message shows it, without the middle of a long one."""
    half = LONGEST // 2 - 2
    return word if len(word) <= LONGEST else f"{word[:half]} ... {word[-half:]}"


def names_allowed(name: str, options: Sequence[str]) -> str:
    """Return the allowed names, after a question for the closest one if any is close."""
    return f"{did_you_mean(name, options)}allowed: {', '.join(sorted(options))}"


def did_you_mean(name: str, options: Sequence[str]) -> str:
    """Return a question for the closest of some names; "" if none is close."""
    close = difflib.get_close_matches(name, options, n=1)
    return f"did you mean {close[0]}? " if close else ""
