"""The log of items that users took, drawn for each seed or read from a file, and its splits into training and test: one
row per way of splitting."""

import dataclasses
from collections.abc import Callable

import jax
import numpy as np

from experiments.recommendation.recommend.settings import Recommendation
from lab.config.choices import Split
from lab.errors import ConfigError
from lab.runs import console
from tasks.catalogue import task_of
from tasks.item_sequences import PADDING, Items
from tasks.logs.catalogue import ITEM_READERS
from tasks.logs.items import TakenItems
from tasks.logs.settings import ItemData
from tasks.settings import Parameters
from trainers.streams import Stream, key_of


@dataclasses.dataclass(frozen=True)
class Log:
    """The N items that U users took, on the host.

    items, times: (N,), user after user, oldest first. starts: (U + 1,) the first item of each user, and N. longest: the
    most items of a sequence. utility: (N, C) of every item at each place, or None.
    """

    items: np.ndarray
    times: np.ndarray
    starts: np.ndarray
    longest: int
    utility: np.ndarray | None = None

    @property
    def lengths(self) -> np.ndarray:
        """(U,): how many items each user took."""
        return np.diff(self.starts)

    @classmethod
    def of(cls, items: np.ndarray, times: np.ndarray, utility: np.ndarray | None = None) -> "Log":
        """Return the log of `tasks.item_sequences.ItemLog`: (U, T) padded items and times, (U, T, C) utilities."""
        is_item = items != PADDING
        starts = np.append(0, np.cumsum(is_item.sum(axis=1)))
        return cls(
            items[is_item], times[is_item], starts, items.shape[1], None if utility is None else utility[is_item]
        )


@dataclasses.dataclass(frozen=True)
class Parts:
    """train: (U, T) items, padded. test: (B, T) the items of each test user up to the one to predict, padded. place:
    (B,) where that one stands. utility: (B, C) of all items there, None where it is not known. new: the users who are
    neither, since all of their items come after the split."""

    train: np.ndarray
    test: np.ndarray
    place: np.ndarray
    utility: np.ndarray | None
    new: int = 0

    @property
    def target(self) -> np.ndarray:
        """(B,): the item to predict."""
        return self.test[np.arange(len(self.test)), self.place]

    def of_users(self, chosen: np.ndarray) -> "Parts":
        """Return the parts with these test users alone."""
        utility = None if self.utility is None else self.utility[chosen]
        return dataclasses.replace(self, test=self.test[chosen], place=self.place[chosen], utility=utility)


def leave_one_out(log: Log, share: float) -> Parts:
    """Return the split in which each user's last item is for the test, and all before it for training."""
    return _parts(log, log.lengths - 1)


def global_time(log: Log, share: float) -> Parts:
    """Whatever was taken before a moment is for training; the first item after it, of users who took some before, is
    for the test. share: of all items, that come after the moment."""
    moment = np.quantile(log.times, 1 - share)
    earlier_N1 = np.append(0, np.cumsum(log.times < moment))  # items of all users so far
    return _parts(log, earlier_N1[log.starts[1:]] - earlier_N1[log.starts[:-1]])


def _parts(log: Log, first_U: np.ndarray) -> Parts:
    """Training on the items before `first`; the test is that one, where there is one with others before it.

    Both are cut here, after the split, to the latest `log.longest` items.
    """
    learns = first_U >= 2  # with one item there is nothing to predict
    has_next = (first_U >= 1) & (first_U < log.lengths)
    start_U, end_U = log.starts[:-1], log.starts[:-1] + first_U
    width = min(log.longest, int(log.lengths.max()))
    train = _latest(log.items, start_U[learns], end_U[learns], width)
    target_B = end_U[has_next]
    test = _latest(log.items, start_U[has_next], target_B + 1, width)
    place_B = np.minimum(first_U[has_next], width - 1)
    utility = None if log.utility is None else log.utility[target_B]
    return Parts(train, test, place_B, utility, int(np.sum(first_U == 0)))


def _latest(items: np.ndarray, start_B: np.ndarray, end_B: np.ndarray, width: int) -> np.ndarray:
    """Return the latest `width` of the items from start to end - 1, (B, width), padded behind."""
    place_BxT = np.maximum(start_B, end_B - width)[:, None] + np.arange(width)[None]
    is_item_BxT = place_BxT < end_B[:, None]
    return np.where(is_item_BxT, items[np.minimum(place_BxT, len(items) - 1)], PADDING)


SPLITS: dict[Split, Callable[[Log, float], Parts]] = {
    Split.leave_one_out: leave_one_out,
    Split.global_time: global_time,
}
LogOf = Callable[[int], tuple[Log, int]]  # seed -> its log, and how many items there are


def drawn_by(parameters: Parameters, users: int) -> LogOf:
    """Return the logs of a task, of so many users and of items of that seed."""
    task = task_of(parameters, Items)

    def log_of(seed: int) -> tuple[Log, int]:
        world = dataclasses.replace(task, world=task.world + seed)
        log = jax.jit(world.log, static_argnums=1)(key_of(seed, Stream.log), users)
        return Log.of(*(np.asarray(each) for each in (log.items, log.times, log.utility))), world.num_items

    return log_of


def read_from(settings: Recommendation, data: ItemData) -> tuple[LogOf, TakenItems]:
    """Return the log of a file, the same for all seeds, and its items, with their names and notes.

    Raises:
        ConfigError: it has too few items, or a split leaves nobody.
        DataError: it cannot be read.
    """
    with console.busy("reading the log"):
        items = ITEM_READERS[data.name].read(data)
    count, log = len(items.names), Log(items.items, items.times, items.starts, data.longest)
    if settings.negatives >= count:
        raise ConfigError(f"negatives={settings.negatives}: must be below the number of items, {count}")
    for split in settings.splits:
        parts = SPLITS[split](log, settings.test_share)
        if min(len(parts.train), len(parts.test)) < 2:
            left = f"{len(parts.train)} users to learn from and {len(parts.test)} to test on"
            raise ConfigError(f"splits={split.value}: it leaves {left}; at least 2 each")
    return lambda seed: (log, count), items
