"""The two forms of a figure, for wide and for narrow screens. This module does not import Matplotlib."""

import contextlib
import contextvars
from collections.abc import Iterator

NARROW = "_narrow"  # the end of the name of a figure for narrow screens
LARGE = 165_000  # characters of an SVG: pages show a larger one as PNG
_narrow = contextvars.ContextVar("narrow", default=False)


@contextlib.contextmanager
def narrow() -> Iterator[None]:
    """Return a context in which figures are made for narrow screens."""
    token = _narrow.set(True)
    try:
        yield
    finally:
        _narrow.reset(token)


def is_narrow() -> bool:
    """Return whether figures are now made for narrow screens."""
    return _narrow.get()
