"""The files of a run of `functions`: tables, the trained decoder, and headline numbers."""

from collections.abc import Sequence

import jax
import numpy as np

from analysis.tables.columns import ByExamples, Table
from analysis.tables.rows import statistics, suffixed
from experiments.functions import measure
from experiments.functions.settings import Functions
from tasks.functions.function import FunctionClass
from trainers.cost import cost
from trainers.decoders.evaluation import Evaluator
from trainers.population import Member, at
from trainers.run import Run
from trainers.session import Session

Results = dict[str, dict[int, dict[str, np.ndarray]]]  # {learner: {number of examples: its error, over seeds}}


def write(session: Session, evaluator: Evaluator, runs: Sequence[Run[Functions]]) -> None:
    """Make the final measurement, and write the files of each run from its own members of the population."""
    everyone = session.learners("decoder", lambda member, prepared, trained: trained)
    trained = session.state[1][Evaluator.SUBJECT].learner
    for each in runs:
        settings = each.record.settings

        def measured(index: int, member: Member, learners: dict, settings: Functions = settings) -> Results:
            assert isinstance(member.task, FunctionClass)  # `run.check` says so
            return measure.by_examples(settings, member.task, learners, member.validation)

        by_seed = session.each_member(measured, everyone, [int(row) for row in each.rows])
        results = jax.tree.map(lambda *seeds: np.stack(seeds), *by_seed)
        record = each.record
        record.table(Table.CURVES, record.curves)
        record.table(Table.BY_EXAMPLES, mean_rows(results))
        record.table(Table.SEEDS, seed_rows(each.seeds, results))
        record.learner(Evaluator.SUBJECT, at(trained, each.rows))
        record.numbers(numbers(settings.task, results))
    for each in runs:
        each.record.entries(**cost(session, runs))


def mean_rows(results: Results) -> list[dict]:
    """Return the rows of by_examples.csv."""
    return [
        {ByExamples.EXAMPLES: count, ByExamples.LEARNER: name}
        | {f"{ByExamples.ERROR}{suffix}": value for suffix, value in suffixed(statistics(error))}
        for name, by_count in results.items()
        for count, error in by_count.items()
    ]


def seed_rows(seeds: list[int], results: Results) -> list[dict]:
    """Return the rows of seeds.csv."""
    return [
        {
            ByExamples.SEED: seed,
            ByExamples.EXAMPLES: count,
            ByExamples.LEARNER: name,
            ByExamples.ERROR: float(error["mean"][row]),
            f"{ByExamples.ERROR}.stderr": float(error["stderr"][row]),
        }
        for name, by_count in results.items()
        for count, error in by_count.items()
        for row, seed in enumerate(seeds)
    ]


def numbers(task, results: Results) -> dict[str, float]:
    """Return the headline numbers: errors with X, 2 X and the most examples, for inputs of width X.

    Args:
        task: the settings of the task.
    """
    most = task.num_context - 1
    counts = sorted({min(count, most) for count in (task.input_dim, 2 * task.input_dim, most)})
    return {
        f"error.{name}.{count}{suffix}": value
        for count in counts
        for name, by_count in results.items()
        if count in by_count
        for suffix, value in suffixed(statistics(by_count[count]))
    }
