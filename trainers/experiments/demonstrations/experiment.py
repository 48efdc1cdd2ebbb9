"""`demonstrations`: which of a user's demonstrations to show: search on validation queries [LRGD], and its controls.

All methods and controls see the same users, pools and queries, and start from the same proposals.
"""

import dataclasses
from collections.abc import Sequence

import jax
from rich.progress import Progress

from lab.config.demonstrations import Demonstrations
from lab.errors import ConfigError
from lab.runs import console, interrupt
from lab.runs.memory import enough_memory
from tasks.catalogue import TASKS
from tasks.recommend import Recommend
from trainers.experiments.demonstrations import rows
from trainers.experiments.demonstrations.learners import RECOMMENDERS
from trainers.experiments.demonstrations.measure import measure
from trainers.experiments.demonstrations.methods import METHODS
from trainers.record import Record

USERS = 6  # folded into the key of a seed; `trainers.recipe.Stream` has the numbers below


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
        tables: dict[str, list[dict]] = {"rounds": [], "methods": [], "differences": [], "agreement": []}
        with Progress(console=console.CONSOLE, transient=True) as progress, enough_memory("lower chunk"):
            programs = (len(METHODS) + 1) * -(-settings.users // settings.chunk)
            bar = progress.add_task("searching", total=settings.seeds * len(settings.validation) * programs)

            def step(bar=bar, progress=progress):
                interrupt.check()
                progress.advance(bar)

            for seed in range(settings.seed, settings.seed + settings.seeds):
                for name, each in _seed(settings, seed, step).items():
                    tables[name] += each
        for name, table in tables.items():
            record.table(name, table)
        record.numbers(rows.numbers(tables["methods"]))


def _seed(settings: Demonstrations, seed: int, step) -> dict[str, list[dict]]:
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
    tables: dict[str, list[dict]] = {"rounds": [], "methods": [], "differences": [], "agreement": []}
    for count in settings.validation:
        measured = measure(settings, learner, users, jax.random.fold_in(key, USERS), count, step)
        place = {"seed": seed, "queries": count}
        tables["rounds"] += [place | row for row in rows.round_rows(measured)]
        tables["methods"] += [place | row for row in rows.method_rows(settings, measured)]
        tables["differences"] += [place | row for row in rows.difference_rows(measured)]
        tables["agreement"] += [place | rows.agreement(measured)]
    return tables
