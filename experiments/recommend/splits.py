"""Splits a log of items into training and test. One row per way of splitting."""

import dataclasses
from collections.abc import Callable

import numpy as np

from lab.config.choices import Split
from tasks.item_sequences import PADDING


@dataclasses.dataclass(frozen=True)
class Log:
    """`tasks.item_sequences.ItemLog` on the host. items, times: (U, T). utility: (U, T, C), or None."""

    items: np.ndarray
    times: np.ndarray
    utility: np.ndarray | None = None


@dataclasses.dataclass(frozen=True)
class Parts:
    """train: (U, T) items, padded. test: (B, T) the items of each test user up to the one to predict, padded. place:
    (B,) where that one stands. utility: (B, C) of all items there, None where it is not known."""

    train: np.ndarray
    test: np.ndarray
    place: np.ndarray
    utility: np.ndarray | None

    @property
    def target(self) -> np.ndarray:
        """(B,): the item to predict."""
        return self.test[np.arange(len(self.test)), self.place]


def leave_one_out(log: Log, share: float) -> Parts:
    """Return the split in which each user's last item is for the test, and all before it for training."""
    return _parts(log, np.sum(log.items != PADDING, axis=1) - 1)


def global_time(log: Log, share: float) -> Parts:
    """Whatever was taken before a moment is for training; the first item after it, of users who took some before, is
    for the test. share: of all items, that come after the moment."""
    is_item = log.items != PADDING
    moment = np.quantile(log.times[is_item], 1 - share)
    return _parts(log, np.sum(is_item & (log.times < moment), axis=1))


def _parts(log: Log, first_U: np.ndarray) -> Parts:
    """Training on the items before `first`; the test is that one, where there is one with others before it."""
    places_1xT = np.arange(log.items.shape[1])[None]
    train = np.where(places_1xT < first_U[:, None], log.items, PADDING)
    train = train[first_U >= 2]  # with one item there is nothing to predict
    has_next = (first_U >= 1) & (first_U < np.sum(log.items != PADDING, axis=1))
    place_B, items_BxT = first_U[has_next], log.items[has_next]
    test = np.where(places_1xT <= place_B[:, None], items_BxT, PADDING)
    utility = None if log.utility is None else log.utility[has_next][np.arange(len(place_B)), place_B]
    return Parts(train, test, place_B, utility)


SPLITS: dict[Split, Callable[[Log, float], Parts]] = {
    Split.leave_one_out: leave_one_out,
    Split.global_time: global_time,
}
