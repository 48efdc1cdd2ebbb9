"""The order of prompts in training: a pure function of seed and step, so that a resumed run sees the same batches."""

import functools
from collections.abc import Iterator

import numpy as np

from experiments.clicks.click_log.prompts import NONE


def batch_indices(num_prompts: int, seed: int, step: int, batch_size: int) -> np.ndarray:
    """Return the numbers of the prompts of one step of training (batch_size,).

    Epochs follow one another without a gap: each is a permutation of all prompts that depends on (seed, epoch), and a
    batch may begin in one epoch and end in the next. So each epoch has every prompt once, and all batches have one
    size.
    """
    if num_prompts < 1:
        raise ValueError("there are no prompts to draw from")
    place, end, parts = step * batch_size, (step + 1) * batch_size, []
    while place < end:
        epoch, first = divmod(place, num_prompts)
        count = min(end - place, num_prompts - first)
        parts.append(_permutation(num_prompts, seed, epoch)[first : first + count])
        place += count
    return np.concatenate(parts)


@functools.lru_cache(maxsize=2)  # one batch may need two permutations, which take 4 bytes per prompt each
def _permutation(num_prompts: int, seed: int, epoch: int) -> np.ndarray:
    kind = np.int32 if num_prompts <= np.iinfo(np.int32).max else np.int64
    order = np.random.default_rng([seed, epoch]).permutation(np.arange(num_prompts, dtype=kind))
    order.setflags(write=False)
    return order


def in_order(num_prompts: int, batch_size: int) -> Iterator[np.ndarray]:
    """Yield the numbers of all prompts once, for an evaluation, in batches (batch_size,) of which the last is filled up
    with `NONE`."""
    for first in range(0, num_prompts, batch_size):
        indices = np.arange(first, first + batch_size)
        yield np.where(indices < num_prompts, indices, NONE)
