"""The devices that a run finds, or insists on."""

import jax

from lab.config.base import Base, Device
from lab.config.choices import Platform
from lab.errors import UserError
from lab.runs import console, hosts


def prepare_processes(settings: Base) -> None:
    """The other processes, if `hosts` says that there are any, before anything else is done.

    Raises:
        UserError: they do not meet.
    """
    if settings.device.require is Platform.cpu:
        jax.config.update("jax_platforms", "cpu")
    hosts.initialize_distributed(settings)
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
