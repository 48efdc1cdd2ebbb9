"""The log of items that users took: drawn anew for each seed, or read from a file."""

import dataclasses
from collections.abc import Callable

import jax
import numpy as np

from experiments.recommendation.recommend.settings import Recommendation
from experiments.recommendation.recommend.splits import SPLITS, Log
from lab.errors import ConfigError
from lab.runs import console
from tasks.catalogue import task_of
from tasks.item_sequences import Items
from tasks.logs.catalogue import ITEM_READERS
from tasks.logs.items import TakenItems
from tasks.logs.settings import ItemData
from tasks.settings import Parameters
from trainers.streams import Stream, key_of

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
