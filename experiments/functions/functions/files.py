"""The files of a run of `functions`: tables, the trained decoder, and headline numbers."""

from collections.abc import Sequence

import jax
import numpy as np

from analysis.tables.columns import ByExamples, Table
from analysis.tables.rows import statistics, suffixed
from experiments.functions.functions import measure
from experiments.functions.functions.settings import Functions
from tasks.functions.function import FunctionClass
from trainers.cost import cost
from trainers.decoders.evaluation import Evaluator
from trainers.population import Member, at
from trainers.session import Session
from trainers.slice import RunSlice

ByLearner = dict[str, dict[int, dict[str, np.ndarray]]]  # {learner: {number of examples: its number, over seeds}}
Results = dict[str, ByLearner]  # {ERROR or DISTANCE of `ByExamples`: numbers}; of the second none where it is not known


def write(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice[Functions]]) -> None:
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
        | {
            f"{number}{suffix}": value
            for number, each in results.items()
            for suffix, value in suffixed(statistics(each[name][count]))
        }
        for name, by_count in results[ByExamples.ERROR].items()
        for count in by_count
    ]


def seed_rows(seeds: list[int], results: Results) -> list[dict]:
    """Return the rows of seeds.csv."""
    return [
        {ByExamples.SEED: seed, ByExamples.EXAMPLES: count, ByExamples.LEARNER: name}
        | {
            f"{number}{suffix}": float(each[name][count][statistic][row])
            for number, each in results.items()
            for suffix, statistic in (("", "mean"), (".stderr", "stderr"))
        }
        for name, by_count in results[ByExamples.ERROR].items()
        for count in by_count
        for row, seed in enumerate(seeds)
    ]


def numbers(task, results: Results) -> dict[str, float]:
    """Return the headline numbers: errors with X, 2 X and the most examples, for inputs of width X, and the decoder's
    distance from the exact Bayes answer there.

    Args:
        task: the settings of the task.
    """
    most = task.num_context - 1
    counts = sorted({min(count, most) for count in (task.input_dim, 2 * task.input_dim, most)})
    distances = results.get(ByExamples.DISTANCE, {})
    columns = {ByExamples.ERROR: results[ByExamples.ERROR], ByExamples.DISTANCE: _only(distances, Evaluator.SUBJECT)}
    return {
        f"{number}.{name}.{count}{suffix}": value
        for number, by_learner in columns.items()
        for count in counts
        for name, by_count in by_learner.items()
        if count in by_count
        for suffix, value in suffixed(statistics(by_count[count]))
    }


def _only(by_learner: ByLearner, name: str) -> ByLearner:
    return {key: value for key, value in by_learner.items() if key == name}
