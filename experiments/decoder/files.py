"""What a run of `decoder` leaves at its end: tables, the trained decoder, and numbers."""

import math
from collections.abc import Sequence

import numpy as np

from analysis.tables.rows import statistics, suffixed
from experiments.decoder.evaluation import Evaluator
from trainers.cost import cost
from trainers.population import at
from trainers.run import Run
from trainers.session import Session


def write(session: Session, evaluator: Evaluator, runs: Sequence[Run]) -> None:
    """The final evaluation, and the files of each run, of its own rows of the population."""
    everyone = {"results": evaluator.by_examples(), "trained": session.state[1][Evaluator.SUBJECT].learner}
    spent = cost(session, runs)
    for each in runs:
        here, record = at(everyone, each.rows), each.record
        counts = record.settings.counts
        record.table("curves", record.curves)
        record.table("by_examples", mean_rows(counts, here["results"]))
        record.table("seeds", seed_rows(counts, each.seeds, here["results"]))
        record.learner(Evaluator.SUBJECT, here["trained"])
        record.numbers(numbers(counts, here["results"]))
        record.entries(**spent)


def _learners(results: dict) -> dict[str, dict[str, dict]]:
    """{learner: {number: values}} of what was measured at one number of examples; what the decoder has more than the
    optimal answer is among its numbers."""
    learners: dict[str, dict[str, dict]] = {}
    for number, by_learner in results.items():
        for name, values in by_learner.items():
            learner, column = (Evaluator.SUBJECT, f"{name}_excess") if number == "excess" else (name, number)
            learners.setdefault(learner, {})[column] = values
    return learners


def mean_rows(counts: list[int], results: list[dict]) -> list[dict]:
    """One row per number of examples and learner: the mean of each number over the seeds, and its standard error."""
    return [
        {"examples": count, "learner": name}
        | {
            f"{column}{suffix}": _known(value)
            for column, values in columns.items()
            for suffix, value in suffixed(statistics(values))
        }
        for count, at_count in zip(counts, results, strict=True)
        for name, columns in _learners(at_count).items()
    ]


def seed_rows(counts: list[int], seeds: list[int], results: list[dict]) -> list[dict]:
    """One row per seed, number of examples and learner; `.stderr` is over the episodes of that seed."""
    return [
        {"seed": seed, "examples": count, "learner": name}
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
    """Headline numbers: those of the decoder at the most examples, and how far it is from optimal there."""
    columns = _learners(results[int(np.argmax(counts))])[Evaluator.SUBJECT]
    return {"examples": max(counts)} | {
        f"{column}{suffix}": _known(value)
        for column, values in columns.items()
        for suffix, value in suffixed(statistics(values))
    }


def _known(value: float) -> float | None:
    """None of what is not a number: the optimal answer is not known there."""
    return None if math.isnan(value) else float(value)
