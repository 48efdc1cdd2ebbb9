"""The devices that a run finds, or insists on, and their memory."""

import contextlib
import os

import jax

from lab.runs import console, hosts
from lab.config.choices import Platform
from lab.config.comparison import Config, Device
from lab.errors import NoMemory, UserError


def meet(config: Config) -> None:
    """The other processes, if `hosts` says that there are any, before anything else is done.

    Raises:
        UserError: they do not meet.
    """
    if config.device.require is Platform.cpu:
        jax.config.update("jax_platforms", "cpu")
    hosts.join(config)
    if not hosts.first():
        console.be_quiet()


def find_devices(wanted: Device) -> None:
    """Say which devices JAX will use, and make products as precise as `device.precision` wants them.

    Raises:
        UserError: `device.require` names a kind of device that is not there.
    """
    require = wanted.require
    if require is Platform.cpu:
        jax.config.update("jax_platforms", "cpu")
    try:
        backend = jax.default_backend()
    except (RuntimeError, AssertionError) as error:  # JAX_PLATFORMS names a platform that is not there
        raise UserError(f"JAX finds no device for JAX_PLATFORMS={jax.config.jax_platforms}: unset it") from error
    if require is not Platform.none and backend != require.value:
        raise UserError(
            f"device.require={require.value}: none found, JAX has {backend}; install the extra for it "
            "(cuda12, cuda13 or tpu) or leave device.require=none"
        )
    # An accelerator's default rounds float32 factors to 10 bits or fewer, as large as the differences measured here.
    jax.config.update("jax_default_matmul_precision", wanted.precision.value)
    kinds = sorted({device.device_kind for device in jax.devices()})
    of = f" of {jax.process_count()} processes" if hosts.several() else ""
    console.say(f"devices: {len(jax.devices())} x {', '.join(kinds)} ({backend}){of}")


SHARE = 0.5  # of the free memory that a program may take whose size can be chosen


def free_bytes() -> int:
    """Of the first device's memory; of a CPU, which does not tell, the machine's whole memory, so that two runs of the
    same on one machine do the same."""
    told = jax.local_devices()[0].memory_stats() or {}
    if "bytes_limit" in told:
        return told["bytes_limit"] - told["bytes_in_use"]
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def fitting(items: int, program: jax.stages.Compiled) -> int:
    """How many of a program's items, for which its results and intermediate values grow alike, fit at a time."""
    needs = program.memory_analysis()
    if needs is None:  # this kind of device does not tell
        return items
    takes = max(1, needs.temp_size_in_bytes + needs.output_size_in_bytes)
    return max(1, min(items, int(items * SHARE * free_bytes() / takes)))


@contextlib.contextmanager
def enough_memory(advice: str):
    """Makes of an error that the device's memory is too small a NoMemory with this advice."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        raise NoMemory(advice) from error
