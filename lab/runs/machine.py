"""The memory and the cores of this machine, as far as they can be known without JAX, and this process."""

import contextlib
import functools
import importlib.metadata
import importlib.util
import io
import os
import pathlib
import platform
import sys
import time
from collections.abc import Iterator

_IMPORTED = time.monotonic()  # the start of the process, a little late
is_command_line = False  # or a notebook or another program of a user, whose limits are its own
GROUPS = pathlib.Path("/sys/fs/cgroup")  # control groups: containers and jobs, with their limits
OWN_GROUPS = pathlib.Path("/proc/self/cgroup")
HARMLESS = ("JAX_PLATFORMS", "JAX_COMPILATION_CACHE_DIR")  # of JAX's variables, where the first is "cpu"


@functools.cache
def memory_bytes() -> int:
    """Return the bytes of memory available to processes: the machine's, or a container's or job's limit."""
    texts = [path.read_text(encoding="utf-8").strip() for path in _limits() if path.is_file()]
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([machine, *(int(text) for text in texts if text.isdigit())])


def _limits() -> Iterator[pathlib.Path]:
    """Yield the files, if they exist, that limit this process's control groups and the groups around them."""
    for line in OWN_GROUPS.read_text(encoding="utf-8").splitlines() if OWN_GROUPS.is_file() else []:
        _, controllers, group = line.split(":", 2)
        if not controllers:  # version 2
            root, name = GROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        own = root / group.lstrip("/")  # in a container it may be the name outside: only the root is there
        yield from (folder / name for folder in (own, *own.parents) if folder.is_relative_to(root))


def used_bytes() -> int:
    """Return the bytes of memory that this process uses now; 0 if the system does not tell."""
    statm = pathlib.Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.is_file() else 0


@functools.cache
def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def processor() -> str:
    """Return the processor's name, or its architecture if the system does not tell the name."""
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines() if cpuinfo.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, names), platform.processor() or platform.machine())


def one_processor() -> bool:
    """Return whether JAX would certainly find a single CPU and no option set, so that it need not be imported."""
    if "jax" in sys.modules:
        return False
    options = {name for name in os.environ if name.startswith(("JAX_", "XLA_", "PJRT_", "TPU_LIBRARY"))} - {*HARMLESS}
    if options or os.environ.get("JAX_PLATFORMS", "cpu") != "cpu":
        return False
    if any(map(importlib.util.find_spec, ("jax_plugins", "libtpu"))):
        return False
    files = (package.read_text("entry_points.txt") or "" for package in importlib.metadata.distributions())
    return not any("jax_plugins" in text for text in files)


def size(count: float) -> str:
    """Return a rough number of bytes in words.

    >>> size(412e6), size(2.34e9), size(1.6e13)
    ('410 MB', '2.3 GB', '16,000 GB')
    """
    return f"{round(count / 1e7) * 10} MB" if count < 1e9 else f"{float(f'{count / 1e9:.2g}'):,.10g} GB"


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
