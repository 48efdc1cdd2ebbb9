"""The demonstrations of a prompt, as numbers of items: the next item after some of a past. No item is of the test."""

from collections.abc import Sequence

import numpy as np

from experiments.recommendation.recommend.splits import Parts
from tasks.item_sequences import PADDING

Demonstration = tuple[Sequence[int], int]  # a past, and the item after it


def watched(parts: Parts, user: int) -> list[int]:
    """Return all items that a test user took before the one to predict, oldest first."""
    return parts.test[user, : parts.place[user]].tolist()


def own(items: Sequence[int], past: int, count: int) -> list[Demonstration]:
    """Return the user's latest items, each behind the `past` before it, oldest first: fewer where there are fewer."""
    return [(items[max(place - past, 0) : place], items[place]) for place in range(1, len(items))][-count:]


def of_others(train_UxT: np.ndarray, past: int, count: int, key: Sequence[int]) -> list[Demonstration]:
    """Return the latest item of each of some training users, who are drawn, behind the `past` before it.

    Args:
        train_UxT: their items, padded behind; each has at least two.
        key: seed of the drawing.
    """
    users = np.random.default_rng(key).permutation(len(train_UxT))[:count]
    return [own(row[row != PADDING].tolist(), past, 1)[0] for row in train_UxT[users]]
