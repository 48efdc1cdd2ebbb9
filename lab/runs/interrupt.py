"""Ctrl-C and SIGTERM that cannot get lost, and that wait for the end of what must not be cut.

Python turns a signal into an exception wherever it is just then, and in a garbage collector's callback (JAX has one)
that exception is printed and forgotten. So the signal is remembered too, and whoever runs for long asks.
"""

import contextlib
import signal
from collections.abc import Callable

_seen: int | None = None
_held = False
_agree: Callable[[int], int] | None = None  # with other processes: the highest of the numbers that each gives
_agreed = 0  # the number of the signal that all know of


class Stopped(KeyboardInterrupt):
    """By a signal, whose number it has."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


def listen() -> None:
    """From now on, unless the process was told to ignore the signal (as a shell's background jobs are)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _remember)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _remember)


def agree_by(highest: Callable[[int], int]) -> None:
    """From now on several processes stop together: a first signal, to any of them, waits for the next end of what must
    not be cut, in which all ask whether one is `pending`."""
    global _agree
    _agree = highest


def check() -> None:
    """Raises Stopped if it should have been raised before."""
    if _agree is None and _seen is not None and not _held:
        raise Stopped(_seen)


def pending() -> bool:
    """Whether a signal waits; of several processes all must ask."""
    global _agreed
    if _agree is None:
        return _seen is not None
    _agreed = _agree(_seen or 0)
    return _agreed > 0


@contextlib.contextmanager
def held():
    """Inside, the first signal waits for the end; a second one does not."""
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False
    if _agreed:
        raise Stopped(_agreed)
    check()


def _remember(number, frame) -> None:
    global _seen
    again, _seen = _seen is not None, number
    if again or not (_held or _agree):
        raise Stopped(number)
