"""A log in which every item of a user is another one, so that an item can be looked for in all prompts."""

import itertools

import numpy as np

from experiments.recommendation.recommend.splits import Log


def of_different_items(lengths: list[int]) -> Log:
    """Users with so many items, whose times are in order."""
    starts = np.append(0, np.cumsum(lengths))
    count = int(starts[-1])
    times = np.random.default_rng(0).permuted(np.arange(count))
    for first, end in itertools.pairwise(starts):
        times[first:end] = np.sort(times[first:end])
    return Log(np.arange(count, dtype=np.int32), times, starts, 6)
