"""`recommend`: recommenders are fitted to what users took, and rank candidates for the item that each takes next.

Every seed has users, items and initial weights of its own; all recommenders of a seed see the same sequences, rank the
same candidates, and are measured on the same users.
"""

import dataclasses
from collections.abc import Callable, Sequence

import jax
import numpy as np

from experiments.recommend import rows
from experiments.recommend.learners import LEARNERS, Fit
from experiments.recommend.measure import Measured, candidates, measure, scores
from experiments.recommend.settings import Recommendation
from experiments.recommend.splits import SPLITS, Log, Parts
from lab.config.choices import Split
from lab.errors import ConfigError
from lab.runs import console, interrupt
from lab.runs.memory import enough_memory
from tasks.catalogue import TASKS
from tasks.item_sequences import Items
from trainers.record import Record

LOG, CANDIDATES = 6, 7  # folded into the key of a seed; `trainers.recipe.Stream` has the numbers below


def check(settings: Recommendation) -> None:
    """
    Raises:
        ConfigError: the task has no log of items, or too few of them for a slate.
    """
    if not issubclass(TASKS[settings.task.name], Items):
        raise ConfigError(f"task={settings.task.name}: it has no log of items; allowed: items")
    if settings.negatives >= settings.task.num_items:
        raise ConfigError(f"negatives={settings.negatives}: must be < task.num_items={settings.task.num_items}")


def run(records: Sequence[Record]) -> None:
    """Write the tables `learners` and `differences`, and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        settings: Recommendation = record.settings
        rank(record, lambda seed, settings=settings: log_of(settings, seed))


def rank(record: Record, log_of: Callable[[int], tuple[Log, int]]) -> None:
    """Fit and measure all recommenders on the log of each seed, and write tables and numbers.

    Args:
        log_of: seed -> its log, and how many items there are.
    """
    settings: Recommendation = record.settings
    tables: dict[str, list[dict]] = {"learners": [], "differences": []}
    fits = settings.seeds * len(settings.splits) * len(LEARNERS)
    with console.counting_bar("fitting", fits) as advance, enough_memory("lower users or chunk"):
        for seed in range(settings.seed, settings.seed + settings.seeds):
            log, count = log_of(seed)
            for split in settings.splits:
                measured = _fitted(settings, seed, log, count, split, advance)
                place = {"seed": seed, "split": split.value}
                by_learner = rows.learner_rows(measured, count, settings.negatives)
                tables["learners"] += [place | row for row in by_learner]
                tables["differences"] += [place | row for row in rows.difference_rows(measured)]
    for name, table in tables.items():
        record.table(name, table)
    record.numbers(rows.numbers(tables["learners"]))


def log_of(settings: Recommendation, seed: int) -> tuple[Log, int]:
    """What the users of a seed took, of items of that seed, and how many items there are."""
    (task,) = TASKS[settings.task.name].together([settings.task])
    task = dataclasses.replace(task, world=settings.task.world + seed)
    drawn = jax.jit(task.log, static_argnums=1)(jax.random.fold_in(jax.random.key(seed), LOG), settings.users)
    return Log(*(np.asarray(each) for each in (drawn.items, drawn.times, drawn.utility))), task.num_items


def _fitted(
    settings: Recommendation, seed: int, log: Log, count: int, split: Split, advance: Callable
) -> dict[str, Measured]:
    """{recommender: its measures}, with the true utilities as the last."""
    key = jax.random.key(seed)
    parts = _at_most(SPLITS[split](log, settings.test_share), settings.test_users)
    slates = candidates(jax.random.fold_in(key, CANDIDATES), parts.target, count, settings.negatives)
    measured = {}
    for name, make in LEARNERS.items():
        learner = make(Fit(settings, parts.train, count, key))
        measured[name] = measure(scores(learner, parts, count, settings.chunk), parts.target, slates)
        interrupt.check()
        advance()
    if parts.utility is not None:
        measured[rows.TRUTH] = measure(parts.utility, parts.target, slates)
    return measured


def _at_most(parts: Parts, users: int) -> Parts:
    """The first test users; users are in no order."""
    utility = None if parts.utility is None else parts.utility[:users]
    return Parts(parts.train, parts.test[:users], parts.place[:users], utility)
