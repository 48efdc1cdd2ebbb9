"""Ctrl-C that cannot get lost.

Python turns the signal into an exception wherever it is just then, and in a garbage collector's callback (JAX has one)
that exception is printed and forgotten. So the signal is remembered too, and whoever runs for long asks.
"""

import signal

_seen = False


def listen() -> None:
    """From now on, unless the process was told to ignore the signal (as a shell's background jobs are)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _remember)


def check() -> None:
    """Raises KeyboardInterrupt if it should have been raised before."""
    if _seen:
        raise KeyboardInterrupt


def _remember(number, frame) -> None:
    global _seen
    _seen = True
    raise KeyboardInterrupt
