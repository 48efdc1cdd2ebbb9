"""The devices that a run uses, the check of their kind, and the cache of the programs that are compiled for them."""

import os
import pathlib

from lab.config.base import Base, Device
from lab.config.choices import Platform
from lab.errors import UserError
from lab.runs import console, environment, hosts, machine

CACHE = "JAX_COMPILATION_CACHE_DIR"  # JAX's own variable; if it is set, JAX uses that directory
# Options of JAX that change numbers and that an environment variable may have set. Other causes of different numbers,
# such as JAX's version, are recorded (`lab.runs.environment.computed_by`).
PINNED = {
    "jax_disable_jit": False,  # programs are compiled ahead of time
    "jax_enable_x64": False,  # code that needs double precision enables it itself
    "jax_numpy_dtype_promotion": "standard",
    "jax_default_prng_impl": "threefry2x32",
    "jax_threefry_partitionable": True,
    "jax_enable_custom_prng": False,
    "jax_random_seed_offset": 0,
    "jax_high_dynamic_range_gumbel": False,
    "jax_softmax_custom_jvp": False,
    "jax_allow_f16_reductions": True,
    "jax_exec_time_optimization_effort": 0.0,
    "jax_optimization_level": "UNKNOWN",
}


def make_ready(wanted: Device) -> None:
    """Set the options of JAX that change numbers, whatever the environment says, and the cache of compiled programs."""
    import jax

    for name in PINNED.keys() & jax.config.values.keys():  # a version of JAX may lack an option
        jax.config.update(name, PINNED[name])
    # An accelerator's default rounds float32 factors to 10 bits or fewer, as large as the differences measured here.
    jax.config.update("jax_default_matmul_precision", wanted.precision.value)
    if wanted.require is Platform.cpu:
        jax.config.update("jax_platforms", "cpu")
    keep_compiled_programs(wanted)


def keep_compiled_programs(device: Device) -> None:
    """Enable JAX's cache of compiled programs unless `device.cache=false`: the same run compiles nothing a second time.

    It is in `$XDG_CACHE_HOME`, or `~/.cache`. A directory that cannot be written is no error: JAX warns.
    """
    import jax

    if not device.cache:
        jax.config.update("jax_enable_compilation_cache", False)
        return
    if CACHE in os.environ or jax.config.values["jax_compilation_cache_dir"]:
        return
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "icl-gd-lab" / "jax"
    if not folder.is_absolute():  # a user of a container, of whom the system knows no home
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def prepare_processes(settings: Base) -> None:
    """Connect to the other processes, if `hosts` says that there are any. Call this first of all.

    Raises:
        UserError: the processes cannot be connected.
    """
    if not machine.one_processor():
        make_ready(settings.device)
    hosts.initialize_distributed(settings)
    if not hosts.first():
        console.be_quiet()


def find_devices(wanted: Device) -> None:
    """Print which devices JAX will use.

    Raises:
        UserError: `device.require` names a kind of device that this machine does not have.
    """
    require = wanted.require
    backend = "cpu" if machine.one_processor() else _backend()
    if require is not Platform.none and backend != require.value:
        raise UserError(
            f"device.require={require.value}: none found, JAX has {backend}; install the extra for it "
            "(cuda12, cuda13 or tpu) or leave device.require=none"
        )
    owners = ""
    if hosts.several():
        import jax

        owners = f" of {jax.process_count()} processes"
    console.say(f"devices: {environment.devices()} ({backend}){owners}")


def _backend() -> str:
    import jax

    try:
        return jax.default_backend()
    except (RuntimeError, AssertionError) as error:  # JAX_PLATFORMS names a platform that is not there
        platforms = jax.config.values["jax_platforms"]
        raise UserError(f"JAX finds no device for JAX_PLATFORMS={platforms}: unset it") from error


def device_name() -> str:
    """Return the name of the device for tables of times: a processor and its cores, or an accelerator."""
    import jax

    kind = jax.local_devices()[0].device_kind
    return f"{machine.processor()}, {machine.cores()} cores" if kind == "cpu" else kind
