"""Versions and devices on which results may depend, for `environment.json`."""

import importlib.metadata
import os
import pathlib
import platform
import re
import subprocess
import sys

from lab.config.identity import code_hash
from lab.runs import machine


def environment(use: str = "") -> dict:
    """Return versions, devices, the code's git revision, and the SHA-256 of the user's own file (the setting `use`)."""
    import jax

    root = pathlib.Path(__file__).parents[2]

    # Where git runs a hook, or a script sets them, these lead to another repository; GIT_CONFIG_* do not.
    variables = {
        name: value for name, value in os.environ.items() if not re.match(r"GIT_(?!CONFIG)", name, re.IGNORECASE)
    }

    def git(*arguments: str) -> str:
        try:
            # `git status` may rewrite the index: a run that is killed meanwhile would leave the repository locked.
            command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""

    names = ("jax", "jaxlib", "flax", "optax", "numpy", "scikit-learn", "orbax-checkpoint", "hydra-core")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": machine.processor(),
        "cpus": os.cpu_count(),
        "devices": [str(device.device_kind) for device in jax.devices()],
        "backend": jax.default_backend(),
        "versions": {name: importlib.metadata.version(name) for name in names},
        "git_revision": git("rev-parse", "HEAD") or "unknown",
        "git_modified": bool(git("status", "--porcelain", "--untracked-files=no")),
        "command": sys.argv,
    } | ({"own_code": {use: code_hash(use)}} if use else {})
