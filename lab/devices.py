"""The devices that a run finds, or insists on, and their memory."""

import contextlib

import jax

from lab import console
from lab.choices import Platform
from lab.config import Device
from lab.errors import UserError


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
    console.say(f"devices: {len(jax.devices())} x {', '.join(kinds)} ({backend})")


@contextlib.contextmanager
def enough_memory(advice: str):
    """Makes of an error that the device's memory is too small a UserError with this advice."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        raise UserError(advice) from error
