"""The memory and the speed of this machine, as far as they can be known without JAX."""

import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import platform
import sys

from lab.config.base import Device
from lab.config.choices import Platform
from lab.config.sizes import Bounds

SHARE = 0.5  # of the memory, for one run: estimates are rough, and other processes need some
RATE = 5e9  # multiply-adds per second of one processor core, in products of small matrices
ACCELERATOR = 100  # times the rate of the processor, at most
SILENCE = 3600.0  # seconds: a run that would show no progress for an hour is refused (rates are rough)
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container
HARMLESS = ("JAX_PLATFORMS", "JAX_COMPILATION_CACHE_DIR")  # of JAX's variables, where the first is "cpu"
PLUGINS = ("jax_cuda12_plugin", "jax_cuda13_plugin", "jax_rocm7_plugin", "jax_rocm60_plugin", "libtpu")


@functools.cache
def memory_bytes() -> int:
    """Return the bytes of the memory that processes here can have: the machine's, or a container's limit."""
    limits = [pathlib.Path(path) for path in LIMITS]
    texts = [path.read_text(encoding="utf-8").strip() for path in limits if path.is_file()]
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([machine, *(int(text) for text in texts if text.isdigit())])


@functools.cache
def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def processor() -> str:
    """Return the name that the processor has from its maker; where the system does not tell, its architecture."""
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines() if cpuinfo.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, names), platform.processor() or platform.machine())


def may_accelerate(device: Device) -> bool:
    """Return whether JAX may find an accelerator here, whose memory and speed it alone knows."""
    if device.require is Platform.cpu or os.environ.get("JAX_PLATFORMS") == "cpu":
        return False
    return any(importlib.util.find_spec(name) is not None for name in PLUGINS)


def one_processor() -> bool:
    """Return whether JAX, which is not imported yet, would certainly find one CPU here and no option that is set; so
    that it need not be asked."""
    if "jax" in sys.modules:
        return False
    options = {name for name in os.environ if name.startswith(("JAX_", "XLA_", "PJRT_", "TPU_LIBRARY"))} - {*HARMLESS}
    if options or os.environ.get("JAX_PLATFORMS", "cpu") != "cpu":
        return False
    if any(map(importlib.util.find_spec, ("jax_plugins", "libtpu"))):
        return False
    files = (package.read_text("entry_points.txt") or "" for package in importlib.metadata.distributions())
    return not any("jax_plugins" in text for text in files)


def bounds(device: Device) -> Bounds:
    """Return the most that a run on this machine may take. An accelerator's memory is left to JAX."""
    accelerated = may_accelerate(device)
    rate = RATE * cores() * (ACCELERATOR if accelerated else 1)
    memory = float("inf") if accelerated else SHARE * memory_bytes()
    return Bounds(memory, rate * SILENCE, SILENCE)
