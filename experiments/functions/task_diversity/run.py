"""`task_diversity`: a decoder learns functions of a pool of M [Rav23]; pools of all sizes are one population."""

import dataclasses
from collections.abc import Sequence

import jax

from analysis.tables.columns import Curves
from experiments.functions.task_diversity.evaluation import Evaluator
from experiments.functions.task_diversity.results import SIZE
from experiments.functions.task_diversity.settings import TaskDiversity
from lab.errors import ConfigError
from tasks.catalogue import REAL_FUNCTIONS
from tasks.functions.real import RealFunctions
from tasks.pool import Pool
from trainers import loop
from trainers.decoders import session as decoder
from trainers.decoders.session import make_of
from trainers.population import Member, at
from trainers.session import Session
from trainers.slice import RunSlice
from trainers.streams import Stream


def write(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice[TaskDiversity]]) -> None:
    """Write the trained decoder and the headline numbers of each run, which the last rows of its curves hold."""
    trained = session.state[1][Evaluator.SUBJECT].learner
    for each in runs:
        each.record.learner(Evaluator.SUBJECT, at(trained, each.rows))
        each.record.numbers(numbers(each.record.curves))


def check(settings: TaskDiversity) -> None:
    """Check that the Bayes-optimal answer for all functions of the class is known.

    Raises:
        ConfigError: it is not.
    """
    allowed = [name for name, task in REAL_FUNCTIONS.items() if "optimal" in vars(task)]
    if settings.task.name not in allowed:
        raise ConfigError(
            f"task={settings.task.name}: no functions with a known Bayes-optimal answer; allowed: {', '.join(allowed)}"
        )


def session_of(settings: Sequence[TaskDiversity]) -> Session:
    """Return the session that trains the decoders of these settings, which differ in traced numbers alone."""
    shared = settings[0].pool

    def pools(population: Member) -> Member:
        assert isinstance(population.task, RealFunctions)  # `check` says so
        keys = jax.vmap(lambda key: jax.random.fold_in(key, Stream.pool))(population.key)
        pool = Pool(population.task, population.numbers[SIZE], keys, shared.largest)
        return dataclasses.replace(population, task=pool)

    return decoder.session_of(settings, make_of(settings[0]), pools)


def numbers(curves: list[dict]) -> dict[str, float]:
    """Return the headline numbers: distances and errors at the end, means over seeds."""
    last = max(row[Curves.STEP] for row in curves)
    rows = [row for row in curves if row[Curves.STEP] == last]
    names = [name for name in rows[0] if name.startswith(("distance_", "error_"))]
    return {name: sum(row[name] for row in rows) / len(rows) for name in names}


run, learners = loop.entry_points(session_of, Evaluator, write)
