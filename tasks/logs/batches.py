"""In which order prompts are taken: a pure function of the seed and the step, so that a resumed run sees the same."""

import functools
from collections.abc import Iterator

import numpy as np

from tasks.logs.prompts import NONE


def batch_indices(num_prompts: int, seed: int, step: int, batch_size: int) -> np.ndarray:
    """(batch_size,) the prompts of a step of training.

    Epochs follow one another without a gap: each is a permutation of all prompts, made of (seed, epoch), and a batch
    may begin in one and end in the next. So each prompt is taken once per epoch and all batches are of one size.
    """
    if num_prompts < 1:
        raise ValueError("there are no prompts to draw from")
    place, end, parts = step * batch_size, (step + 1) * batch_size, []
    while place < end:
        epoch, first = divmod(place, num_prompts)
        taken = min(end - place, num_prompts - first)
        parts.append(_permutation(num_prompts, seed, epoch)[first : first + taken])
        place += taken
    return np.concatenate(parts)


@functools.lru_cache(maxsize=2)  # a batch may need two; 4 bytes per prompt each
def _permutation(num_prompts: int, seed: int, epoch: int) -> np.ndarray:
    kind = np.int32 if num_prompts <= np.iinfo(np.int32).max else np.int64
    order = np.random.default_rng([seed, epoch]).permutation(np.arange(num_prompts, dtype=kind))
    order.setflags(write=False)
    return order


def in_order(num_prompts: int, batch_size: int) -> Iterator[np.ndarray]:
    """(batch_size,) each: all prompts once, for an evaluation. The last batch is filled up with `NONE`."""
    for first in range(0, num_prompts, batch_size):
        indices = np.arange(first, first + batch_size)
        yield np.where(indices < num_prompts, indices, NONE)
