"""JAX's cache of compiled programs in the user's cache directory: the same run compiles nothing a second time."""

import os
import pathlib

from lab.config.base import Device

VARIABLE = "JAX_COMPILATION_CACHE_DIR"  # JAX's own variable; if it is set, JAX uses that directory


def cache_directory() -> pathlib.Path:
    """Return `$XDG_CACHE_HOME/icl-gd-lab/jax`, or `~/.cache/icl-gd-lab/jax` where the variable is not set."""
    root = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(root) / "icl-gd-lab" / "jax"


def keep_compiled_programs(device: Device) -> None:
    """Enable JAX's cache unless `device.cache=false`. A directory that cannot be written is no error: JAX warns."""
    import jax

    if not device.cache:
        jax.config.update("jax_enable_compilation_cache", False)
        return
    if VARIABLE in os.environ or jax.config.values["jax_compilation_cache_dir"]:
        return
    try:
        cache_directory().mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    jax.config.update("jax_compilation_cache_dir", str(cache_directory()))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
