"""The forms of a figure: for wide and for narrow screens, and for a paper. This module does not import Matplotlib."""

import contextlib
import contextvars
import functools
from collections.abc import Iterator

NARROW = "_narrow"  # the end of the name of a figure for narrow screens
PAPER = "_paper"
LARGE = 165_000  # characters of an SVG: pages show a larger one as PNG
_form = contextvars.ContextVar("form", default="")


@contextlib.contextmanager
def _as(form: str) -> Iterator[None]:
    token = _form.set(form)
    try:
        yield
    finally:
        _form.reset(token)


narrow = functools.partial(_as, NARROW)  # a context in which figures are made for narrow screens
on_paper = functools.partial(_as, PAPER)  # a context in which they are made for the columns of a paper


def is_narrow() -> bool:
    """Return whether figures are now made for narrow screens."""
    return _form.get() == NARROW


def is_paper() -> bool:
    """Return whether figures are now made for a paper."""
    return _form.get() == PAPER
