"""Versions and devices on which results may depend, for `environment.json` and `provenance.json`."""

import functools
import importlib.metadata
import os
import platform
import re
import subprocess
import sys

from lab.config.identity import code_hash
from lab.config.imported import ROOT
from lab.runs import machine

COMPUTE = ("jax", "jaxlib", "flax", "optax", "numpy", "scipy", "scikit-learn")  # packages that compute numbers
VARIABLES = ("LIBTPU_INIT_ARGS", "NVIDIA_TF32_OVERRIDE")  # variables that change numbers, beside XLA_FLAGS
OPTIONS = ("jax_disable_most_optimizations", "jax_disable_jit")  # variables of JAX that change roundings
NO_NUMBERS = ("--xla_dump", "--xla_force_host_platform_device_count")  # flags that change no number


def computed_by(devices: bool = True) -> dict[str, str]:
    """Return the causes of different numbers besides settings and code that the lab does not control.

    Args:
        devices: whether to include devices and flags, which may import JAX.
    """
    return dict(versions()) | (_devices_and_flags() if devices else {})


@functools.cache
def versions() -> dict[str, str]:
    """Return {package: version} of the packages that compute."""
    return {name: importlib.metadata.version(name) for name in COMPUTE}


def _devices_and_flags() -> dict[str, str]:
    flags = {word for word in os.environ.get("XLA_FLAGS", "").split() if not word.startswith(NO_NUMBERS)}
    flags |= {f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ}
    if not machine.one_processor():
        import jax

        flags |= {name for name in OPTIONS if jax.config.values.get(name)}
    return {"devices": devices(), "flags": " ".join(sorted(flags)) or "none"}


def devices() -> str:
    """Return the kinds of JAX's devices here, each with its number."""
    if machine.one_processor():
        return "1 x cpu"
    import jax

    return f"{len(jax.devices())} x {', '.join(sorted({device.device_kind for device in jax.devices()}))}"


def environment(use: str = "") -> dict:
    """Return versions, devices, the code's git revision, and the SHA-256 of the user's own file (the setting `use`)."""
    import jax

    # In a hook of git, or set by a script, these variables lead to another repository; GIT_CONFIG_* do not.
    variables = {
        name: value for name, value in os.environ.items() if not re.match(r"GIT_(?!CONFIG)", name, re.IGNORECASE)
    }

    def git(*arguments: str) -> str:
        if not (ROOT / ".git").exists():  # an environment may lie within the repository of something else
            return ""
        try:
            # `git status` may rewrite the index: a run that is killed meanwhile would leave the repository locked.
            command = ["git", "--no-optional-locks", "-C", str(ROOT), *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""

    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": machine.processor(),
        "cpus": os.cpu_count(),
        "devices": [str(device.device_kind) for device in jax.devices()],
        "backend": jax.default_backend(),
        "versions": versions(),
        "git_revision": git("rev-parse", "HEAD") or "unknown",
        "git_modified": bool(git("status", "--porcelain", "--untracked-files=normal")),
        "command": sys.argv,
    } | ({"own_code": {use: code_hash(use)}} if use else {})
