"""Ctrl-C and SIGTERM that cannot get lost, and that wait for the end of what must not be cut.

Python turns a signal into an exception wherever it is just then, and in a garbage collector's callback (JAX has one)
that exception is printed and forgotten. So the signal is remembered too, and whoever runs for long asks.
"""

import contextlib
import signal

_seen: int | None = None
_held = False


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


def check() -> None:
    """Raises Stopped if it should have been raised before."""
    if _seen is not None and not _held:
        raise Stopped(_seen)


def pending() -> bool:
    """Whether a signal waits."""
    return _seen is not None


@contextlib.contextmanager
def held():
    """Inside, the first signal waits for the end; a second one does not."""
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False
    check()


def _remember(number, frame) -> None:
    global _seen
    again, _seen = _seen is not None, number
    if not _held or again:
        raise Stopped(number)
