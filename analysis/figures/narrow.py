"""Figures have two forms, for wide and for narrow screens. No Matplotlib here."""

import contextlib
import contextvars
from collections.abc import Iterator

NARROW = "_narrow"  # how the name of a figure's form for narrow screens ends
_narrow = contextvars.ContextVar("narrow", default=False)


@contextlib.contextmanager
def narrow() -> Iterator[None]:
    """Figures that are made within are for narrow screens."""
    token = _narrow.set(True)
    try:
        yield
    finally:
        _narrow.reset(token)


def is_narrow() -> bool:
    """Whether the figure that is being made is for narrow screens."""
    return _narrow.get()
