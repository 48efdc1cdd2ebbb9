"""This process: the seconds since its start, and output on a console that lacks a character."""

import contextlib
import io
import os
import pathlib
import sys
import time

_IMPORTED = time.monotonic()  # the start of the process, a little late
is_command_line = False  # or a notebook or another program of a user, whose limits are its own


def seconds() -> float:
    """Return the seconds since the process started, or since its first imports if the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError, AttributeError):
        fields = pathlib.Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # since the machine's start, like the clock below
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    return time.monotonic() - _IMPORTED


def print_any_sign() -> None:
    """Print a question mark for each character that the console lacks, as an ASCII console does."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
