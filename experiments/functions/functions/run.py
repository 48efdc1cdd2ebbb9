"""`functions`: a decoder learns a class of functions in context, and is measured after every number of examples.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

import dataclasses
from collections.abc import Callable, Sequence

import jax
import numpy as np

from analysis.tables.columns import ByExamples, Table
from experiments.functions.by_examples import mean_rows, over_seeds, seed_rows
from experiments.functions.functions import measure
from experiments.functions.functions.settings import Functions
from lab.errors import ConfigError
from tasks.catalogue import FUNCTIONS
from tasks.curriculum import Curriculum, Plan
from tasks.functions.function import FunctionClass
from tasks.functions.real import RealFunctions
from tasks.task import Task
from trainers import loop
from trainers.decoders import session as decoder
from trainers.decoders.evaluation import Evaluator
from trainers.decoders.session import make_of
from trainers.population import Member, at
from trainers.session import Session
from trainers.slice import RunSlice

PLAN = tuple(each.name for each in dataclasses.fields(Plan))
ByLearner = dict[str, dict[int, dict[str, np.ndarray]]]  # {learner: {number of examples: its statistics, over seeds}}
Results = dict[str, ByLearner]  # {ERROR or DISTANCE of `ByExamples`: numbers}; of the second none where it is not known


def check(settings: Functions) -> None:
    """Check that the task is a class of functions.

    Raises:
        ConfigError: it is not.
    """
    if settings.task.name not in FUNCTIONS:
        allowed = ", ".join(FUNCTIONS)
        raise ConfigError(f"task={settings.task.name}: it is no class of functions; allowed: {allowed}")


def session_of(settings: Sequence[Functions]) -> Session:
    """Return the session that trains the decoders of these settings, which differ in traced numbers alone."""
    return decoder.session_of(settings, make_of(settings[0]), training=training_of(settings))


def training_of(settings: Sequence[Functions]) -> Callable[[Member], Task]:
    """Return a function member -> the task that it is trained on: its own, with a curriculum if any of the runs has
    one."""
    if not any(each.curriculum.every for each in settings):
        return lambda member: member.task

    def growing(member: Member) -> Task:
        assert isinstance(member.task, RealFunctions)  # `Functions.check` refuses curricula of other tasks
        return Curriculum(member.task, Plan(**{name: member.numbers[f"curriculum.{name}"] for name in PLAN}))

    return growing


def write(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice[Functions]]) -> None:
    """Make the final measurement, and write the files of each run from its own members of the population."""
    everyone = session.learners("decoder", lambda member, prepared, trained: trained)
    trained = session.state[1][Evaluator.SUBJECT].learner
    for each in runs:
        settings = each.record.settings

        def measured(index: int, member: Member, learners: dict, settings: Functions = settings) -> Results:
            assert isinstance(member.task, FunctionClass)  # `check` says so
            return measure.by_examples(settings, member.task, learners, member.validation)

        by_seed = session.each_member(measured, everyone, [int(row) for row in each.rows])
        results = jax.tree.map(lambda *seeds: np.stack(seeds), *by_seed)
        entries = [
            (count, name, {number: by_learner[name][count] for number, by_learner in results.items()})
            for name, by_count in results[ByExamples.ERROR].items()
            for count in by_count
        ]
        record = each.record
        record.table(Table.BY_EXAMPLES, mean_rows(entries))
        record.table(Table.SEEDS, seed_rows(each.seeds, entries))
        record.learner(Evaluator.SUBJECT, at(trained, each.rows))
        record.numbers(numbers(settings.task, results))


def numbers(task, results: Results) -> dict[str, float | None]:
    """Return the headline numbers: errors with X, 2 X and the most examples, for inputs of width X, and the decoder's
    distance from the exact Bayes answer there.

    Args:
        task: the settings of the task.
    """
    most = task.num_context - 1
    counts = sorted({min(count, most) for count in (task.input_dim, 2 * task.input_dim, most)})
    return over_seeds(
        {
            f"{number}.{name}.{count}": by_count[count]
            for number, by_learner in results.items()
            for count in counts
            for name, by_count in by_learner.items()
            if count in by_count and (number == ByExamples.ERROR or name == Evaluator.SUBJECT)
        }
    )


run, learners = loop.entry_points(session_of, Evaluator, write)
