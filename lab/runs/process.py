"""This process: how long it has been at work, and what it prints where a console does not know a sign."""

import contextlib
import io
import os
import pathlib
import sys
import time

_IMPORTED = time.monotonic()  # soon after the start
is_command_line = False  # or a notebook or another program of a user, whose limits are its own


def seconds() -> float:
    """Return the seconds since the process was started; where the system does not tell, since its first imports."""
    with contextlib.suppress(OSError, ValueError, IndexError, AttributeError):
        fields = pathlib.Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # since the machine was started, as the clock below
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    return time.monotonic() - _IMPORTED


def print_any_sign() -> None:
    """Let a console that lacks a sign, such as one that knows ASCII alone, show a question mark in its place."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
