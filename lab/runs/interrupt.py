"""Handling of Ctrl-C, SIGTERM and SIGHUP (a closed terminal): no signal gets lost, and signals wait for the end of
sections that must not be interrupted.

Python raises a signal's exception in the code that happens to run. In a callback of the garbage collector (JAX has one)
the exception is printed and dropped, and in a comparison of JAX it becomes another exception (`recognised`). So the
number of the signal is stored too, and long loops call `check`.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from lab.errors import explain

CALLBACK = "_xla_gc_callback"  # JAX's, of the garbage collector
SOON = 0.01  # seconds
_received: int | None = None  # the number of the first signal that this process received
_terminals: list[int] = []  # the numbers of the output streams that are a terminal
_held = False  # the process is inside `held`
_maximum: Callable[[int], int] | None = None  # of several processes: returns the maximum of their numbers
_agreed = 0  # the number of the signal that all processes know of; 0: none


class Stopped(KeyboardInterrupt):
    """Raised when a signal, `number`, stops the process."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


def listen() -> None:
    """Handle these signals from now on, except those that the process ignores (a shell's background job, or under
    `nohup`).
    """
    _terminals[:] = [stream for stream in (1, 2) if os.isatty(stream)]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _remember)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _remember)


def agree_by(maximum: Callable[[int], int]) -> None:
    """Make several processes stop together from now on.

    The first signal that any of them receives waits for the end of the next section (`held`) in which all of them call
    `pending`.

    Args:
        maximum: returns the largest of the numbers that the processes call it with; all of them must call it.
    """
    global _maximum
    _maximum = maximum


def check() -> None:
    """Raise Stopped if a signal was received whose exception was lost. Every long loop calls this."""
    if _maximum is None and _received is not None and not _held:
        raise Stopped(_received)


def pending() -> bool:
    """Return whether a signal waits. Where there are several processes, all of them must call this."""
    global _agreed
    if _maximum is None:
        return _received is not None
    _agreed = _maximum(_received or 0)
    return _agreed > 0


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Delay the first signal until the end of the `with` block; a second signal stops the process at once.

    Raises:
        Stopped: at the end, if a signal was received.
    """
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False
    if _agreed:
        raise Stopped(_agreed)
    check()


@contextlib.contextmanager
def recognised() -> Iterator[None]:
    """After a signal, replace an unknown exception of the `with` block by Stopped.

    JAX turns a signal's exception into a ValueError if it is raised while JAX compares arguments of a program. Errors
    that the lab explains, such as a full disk, stay. With several processes all exceptions stay.
    """
    try:
        yield
    except Exception as error:
        if explain(error) is None:
            check()
        raise


def _remember(number: int, frame: FrameType | None) -> None:
    global _received
    if frame is not None and frame.f_code.co_name == CALLBACK:
        return threading.Timer(SOON, os.kill, [os.getpid(), number]).start()  # nothing can be raised from within it
    again, _received = _received is not None, number
    if number == signal.SIGHUP:
        for stream in _terminals:  # the terminal is gone: printing to it would fail
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        if again:  # SIGHUP comes twice, from the shell and from the system
            return
    if again or not (_held or _maximum):
        raise Stopped(number)
