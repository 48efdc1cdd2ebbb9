"""`demonstrations`: which of a user's demonstrations to show: search on validation queries [LRGD], and its controls.

All methods and controls see the same users, pools and queries, and start from the same proposals.
"""

import dataclasses
from collections.abc import Callable, Sequence

import jax

from experiments.demonstrations import rows
from experiments.demonstrations.learners import RECOMMENDERS
from experiments.demonstrations.measure import measure
from experiments.demonstrations.settings import Demonstrations
from lab.errors import ConfigError
from lab.runs import console
from lab.runs.memory import enough_memory
from tasks.catalogue import TASKS
from tasks.recommend import Recommend
from trainers.blocks import number_of_blocks
from trainers.record import Record

USERS = 6  # folded into the key of a seed; `trainers.recipe.Stream` has the numbers below
TABLES = ("rounds", "methods", "differences", "agreement")


def check(settings: Demonstrations) -> None:
    """
    Raises:
        ConfigError: the task's queries have no slate.
    """
    if not issubclass(TASKS[settings.task.name], Recommend):
        raise ConfigError(f"task={settings.task.name}: it has no pool of demonstrations; allowed: recommend")


def run(records: Sequence[Record]) -> None:
    """Write the tables `rounds`, `methods`, `differences` and `agreement`, and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        settings: Demonstrations = record.settings
        blocks = settings.seeds * len(settings.validation) * number_of_blocks(settings.users, settings.chunk)
        tables: dict[str, list[dict]] = {name: [] for name in TABLES}
        with console.counting_bar("searching", blocks) as advance, enough_memory("lower chunk"):
            for seed in range(settings.seed, settings.seed + settings.seeds):
                for name, each in of_seed(settings, seed, advance).items():
                    tables[name] += each
        for name, table in tables.items():
            record.table(name, table)
        record.numbers(rows.numbers(tables["methods"]))


def of_seed(settings: Demonstrations, seed: int, advance: Callable) -> dict[str, list[dict]]:
    """The rows of one seed, whose users and learner are its own."""
    (task,) = TASKS[settings.task.name].together([settings.task])
    key = jax.random.key(seed)
    learner = RECOMMENDERS[settings.learner](settings, task, key)
    users = dataclasses.replace(
        task,
        num_context=settings.pool,
        num_queries=max(settings.validation) + settings.queries,
        contamination=settings.contamination,
        any_count=False,
    )
    tables: dict[str, list[dict]] = {name: [] for name in TABLES}
    for count in settings.validation:
        measured = measure(settings, learner, users, jax.random.fold_in(key, USERS), count, advance)
        place = {"seed": seed, "queries": count}
        of_count = {
            "rounds": rows.round_rows(measured),
            "methods": rows.method_rows(settings, measured),
            "differences": rows.difference_rows(measured),
            "agreement": [rows.agreement(measured)],
        }
        for name, each in of_count.items():
            tables[name] += [place | row for row in each]
    return tables
