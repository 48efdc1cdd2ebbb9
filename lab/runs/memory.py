"""How much fits into the memory of a device, and what to do where everything at once does not."""

import contextlib
import os

import jax

from lab.errors import NoMemory

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


def evenly(items: int, most: int) -> tuple[int, int]:
    """(how many chunks, the size of each) of so many items, at most `most` in one and as even as can be; the last may
    reach beyond them.

    >>> evenly(10, 4)
    (3, 4)
    >>> evenly(9, 4), evenly(4, 4)
    ((3, 3), (1, 4))
    """
    chunks = -(-items // most)
    return chunks, -(-items // chunks)
