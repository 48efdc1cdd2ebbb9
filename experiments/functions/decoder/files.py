"""The last evaluation of a decoder, with several numbers of examples in its context, and the files of a run."""

import math
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers
from analysis.tables.columns import ByExamples, Table
from analysis.tables.rows import statistics, suffixed
from experiments.functions.decoder.settings import Decoder
from lab.learners.learner import Learner
from tasks.wrapper import Prefix
from trainers.cost import cost
from trainers.decoders import evaluation
from trainers.population import Member, at
from trainers.runner import SessionRunner
from trainers.session import Session
from trainers.slice import RunSlice


class Evaluator(evaluation.Evaluator):
    """Also measures the decoders of a session with each of the settings' numbers of examples."""

    def __init__(self, session: Session, settings: Decoder):
        super().__init__(session, settings)
        self._counts = settings.counts

    def by_examples(self) -> list[dict]:
        """Return the numbers of `curve` for each of the settings' `counts`.

        Where the optimal answer is known, there is also "excess": statistics of the decoder's number minus the optimal
        one in each episode.
        """

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> list[dict]:
            runner = SessionRunner(self.session.programs, self.group_sizes)
            everyone = learners | evaluation.optimal(member.task)
            results = []
            for count in self._counts:
                answers = self.evaluate_on(everyone, Prefix(member.task, jnp.asarray(count)), member, runner)
                results.append(evaluation.numbers_of(answers) | {"excess": _excess(answers)})
            return results

        return self.each_member(measure)


def _excess(answers: dict[str, Answers]) -> dict[str, dict]:
    """Return {number: statistics of the decoder's minus the optimal one}; nothing if that is not known."""
    if evaluation.OPTIMAL not in answers:
        return {}
    trained, best = (evaluation.values_of(answers[name]) for name in (Evaluator.SUBJECT, evaluation.OPTIMAL))
    return {number: mean_and_error(trained[number] - best[number]) for number in trained}


def write(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice[Decoder]]) -> None:
    """Make the final evaluation, and write the files of each run from its own members of the population."""
    everyone = {"results": evaluator.by_examples(), "trained": session.state[1][Evaluator.SUBJECT].learner}
    spent = cost(session, runs)
    for each in runs:
        here, record = at(everyone, each.rows), each.record
        counts = record.settings.counts
        record.table(Table.CURVES, record.curves)
        record.table(Table.BY_EXAMPLES, mean_rows(counts, here["results"]))
        record.table(Table.SEEDS, seed_rows(counts, each.seeds, here["results"]))
        record.learner(Evaluator.SUBJECT, here["trained"])
        record.numbers(numbers(counts, here["results"]))
        record.entries(**spent)


def _learners(results: dict) -> dict[str, dict[str, dict]]:
    """Return {learner: {number: values}} from {number: {learner: values}} at one number of examples.

    The excess of the decoder over the optimal answer becomes a number of the decoder, `NUMBER_excess`.
    """
    learners: dict[str, dict[str, dict]] = {}
    for number, by_learner in results.items():
        for name, values in by_learner.items():
            learner, column = (Evaluator.SUBJECT, f"{name}_excess") if number == "excess" else (name, number)
            learners.setdefault(learner, {})[column] = values
    return learners


def mean_rows(counts: list[int], results: list[dict]) -> list[dict]:
    """Return the rows of by_examples.csv.

    Args:
        counts: the numbers of examples.
        results: for each of them, the numbers as `Evaluator.by_examples` returns them.
    """
    return [
        {ByExamples.EXAMPLES: count, ByExamples.LEARNER: name}
        | {
            f"{column}{suffix}": _known(value)
            for column, values in columns.items()
            for suffix, value in suffixed(statistics(values))
        }
        for count, at_count in zip(counts, results, strict=True)
        for name, columns in _learners(at_count).items()
    ]


def seed_rows(counts: list[int], seeds: list[int], results: list[dict]) -> list[dict]:
    """Return the rows of seeds.csv."""
    return [
        {ByExamples.SEED: seed, ByExamples.EXAMPLES: count, ByExamples.LEARNER: name}
        | {
            f"{column}{suffix}": _known(values[key][row])
            for column, values in columns.items()
            for suffix, key in (("", "mean"), (".stderr", "stderr"))
        }
        for count, at_count in zip(counts, results, strict=True)
        for name, columns in _learners(at_count).items()
        for row, seed in enumerate(seeds)
    ]


def numbers(counts: list[int], results: list[dict]) -> dict[str, float | None]:
    """Return the headline numbers: those of the decoder with the most examples, with its excess over the optimum."""
    columns = _learners(results[int(np.argmax(counts))])[Evaluator.SUBJECT]
    return {"examples": max(counts)} | {
        f"{column}{suffix}": _known(value)
        for column, values in columns.items()
        for suffix, value in suffixed(statistics(values))
    }


def _known(value: float) -> float | None:
    """Return None in place of NaN, which stands where the optimal answer is not known."""
    return None if math.isnan(value) else float(value)
