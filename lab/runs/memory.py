"""Free memory of a device, and how to divide work that does not fit into it as a whole."""

import contextlib
import os
from collections.abc import Iterator

import jax

from lab.errors import NoMemory

SHARE = 0.5  # of the free memory, for a program whose size can be chosen


def free_bytes() -> int:
    """Return how many bytes of the first device's memory are free.

    A CPU does not report its memory. There the result is the machine's whole memory, so that two runs with the same
    settings on one machine divide their work alike.
    """
    reported = jax.local_devices()[0].memory_stats() or {}
    if "bytes_limit" in reported:
        return reported["bytes_limit"] - reported["bytes_in_use"]
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def fitting(items: int, program: jax.stages.Compiled) -> int:
    """Return how many of a program's items fit into SHARE of the free memory at a time, at least 1.

    Args:
        items: how many items the program was compiled for. The bytes of its results and of its intermediate values are
            taken to be proportional to this number.
    """
    needs = program.memory_analysis()
    if needs is None:  # this kind of device reports nothing
        return items
    takes = max(1, needs.temp_size_in_bytes + needs.output_size_in_bytes)
    return max(1, min(items, int(items * SHARE * free_bytes() / takes)))


@contextlib.contextmanager
def enough_memory(advice: str) -> Iterator[None]:
    """Turn JAX's error that the device's memory is exhausted into a NoMemory with this advice."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        raise NoMemory(advice) from error


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
