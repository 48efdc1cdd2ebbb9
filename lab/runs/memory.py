"""Memory: programs that do not fit are refused before they run, and work is divided so that it fits."""

import contextlib
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence

import jax

from lab.errors import NoMemory
from lab.runs import machine

SHARE = 0.5  # share of the free memory for a program whose size can be chosen
MOST = 0.9  # share of all memory for one run
FLOAT = 4  # bytes
_listening: list[bool] = []  # not empty once `refuse_large_programs` was called
_seen: set[tuple[int, bytes | None]] = set()  # the programs that were there at the latest event


def memory_to_divide() -> int:
    """Return how many bytes of the first device's memory are free.

    A CPU does not report its free memory. There the result is the machine's or container's whole memory, so that two
    runs with the same settings on one machine divide their work alike.
    """
    reported = jax.local_devices()[0].memory_stats() or {}
    if "bytes_limit" in reported:
        return reported["bytes_limit"] - reported["bytes_in_use"]
    return machine.memory_bytes()


def all_bytes() -> float:
    """Return the bytes that a run may use on the first device."""
    reported = jax.local_devices()[0].memory_stats() or {}
    return MOST * reported.get("bytes_limit", machine.memory_bytes())


def refuse(takes: float, lengths: Sequence[int], used: float = 0.0) -> None:
    """Refuse an allocation of more memory than there is.

    Args:
        takes: bytes.
        lengths: lengths of the axes of its largest array.
        used: bytes that are taken already.

    Raises:
        NoMemory: it takes more.
    """
    if takes + used > (there := all_bytes()):
        raise NoMemory(f"it needs {machine.size(takes + used)} of memory, and has {machine.size(there)}", lengths)


def refuse_large_programs() -> None:
    """Refuse every later program of this process that takes more memory than there is, as soon as it is compiled.

    In the command line's process, on Linux, other requests for more than the machine's memory, such as NumPy's, are
    errors from now on: in a container the system would end the process instead.
    """
    if _listening:
        return
    _listening.append(True)
    _new_programs()
    jax.monitoring.register_event_duration_secs_listener(_on_event)
    if machine.is_command_line and sys.platform == "linux" and jax.default_backend() == "cpu":
        import resource  # other systems lack the module or ignore the limit

        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        bounds = [bound for bound in (soft, hard, machine.memory_bytes()) if bound != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))


@contextlib.contextmanager
def only_compiling() -> Iterator[None]:
    """Refuse no program in the `with` block: its programs are compiled but not run."""
    _listening.append(False)
    try:
        yield
    finally:
        _listening.pop()


def _on_event(event: str, duration_secs: float, **kwargs: str | int) -> None:
    if event.endswith("backend_compile_duration"):
        for program in _new_programs():
            if _listening[-1]:
                refuse_program(program.get_compiled_memory_stats(), program.hlo_modules)


def _new_programs() -> list:
    """Return the compiled programs that were not there at the call before: memory has changed since the others."""
    programs = jax.local_devices()[0].client.live_executables()
    keys = [(id(program), program.fingerprint) for program in programs]  # a new one may lie where a freed one lay
    new = [program for program, key in zip(programs, keys, strict=True) if key not in _seen]
    _seen.clear()
    _seen.update(keys)
    return new


def refuse_program(needs, modules: Callable[[], Sequence]) -> None:
    """Refuse a compiled program that takes more memory than there is.

    Args:
        needs: its `memory_analysis`.
        modules: gives its text, in which the lengths of its largest array are found.

    Raises:
        NoMemory: it takes more.
    """
    used = (jax.local_devices()[0].memory_stats() or {}).get("bytes_in_use", machine.used_bytes())
    takes = needs.output_size_in_bytes + needs.temp_size_in_bytes - needs.alias_size_in_bytes
    if takes + used > all_bytes():
        text = "".join(module.to_string() for module in modules())
        shapes = [tuple(map(int, axes.split(","))) for axes in re.findall(r"\b[a-z]+\d+\[(\d[\d,]*)\]", text)]
        refuse(takes, max(shapes, key=math.prod, default=()), used)


def fitting(items: int, program: jax.stages.Compiled) -> int:
    """Return how many of a program's items fit into SHARE of the free memory at a time, at least 1.

    Args:
        items: how many items the program was compiled for. The bytes of its results and of its intermediate values are
            taken to be proportional to this number.

    Raises:
        NoMemory: not even one fits.
    """
    needs = program.memory_analysis()
    if needs is None:  # devices of this kind report nothing
        return items
    takes = max(1, needs.temp_size_in_bytes + needs.output_size_in_bytes)
    fits = max(1, min(items, int(items * SHARE * memory_to_divide() / takes)))
    if fits == items:  # this program is the one that is run
        executable = program.runtime_executable()
        refuse_program(needs, executable.hlo_modules if executable is not None else list)
    return fits


@contextlib.contextmanager
def enough_memory(advice: str = "") -> Iterator[None]:
    """Turn JAX's and NumPy's errors of exhausted memory into a NoMemory with this advice."""
    try:
        yield
    except MemoryError as error:  # NumPy's says which shape the array would have
        raise NoMemory(advice or "not enough memory", getattr(error, "shape", ())) from error
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error) and "Out of memory" not in str(error):
            raise
        wanted = [int(count) // FLOAT for count in re.findall(r"allocating (\d+)", str(error))]
        raise NoMemory(advice or "not enough memory", wanted) from error


def evenly(items: int, most: int) -> tuple[int, int]:
    """Divide items into chunks of one size: return (number of chunks, items per chunk), at most `most` per chunk.

    The number of chunks is the smallest possible; together they may hold a few items more than there are.

    >>> evenly(10, 4)
    (3, 4)
    >>> evenly(9, 4), evenly(4, 4)
    ((3, 3), (1, 4))
    """
    chunks = -(-items // most)
    return chunks, -(-items // chunks)
