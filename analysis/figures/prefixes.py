"""Errors of decoders that learn functions, over seeds and at given numbers of examples."""

import math
from collections.abc import Sequence

from analysis.figures.estimates import Estimate, combine, estimate, mean
from analysis.tables.columns import ByExamples
from analysis.tables.select import Row, distinct, rows_where
from lab.runs.directory import RunDirectory

SUBJECT = "decoder"


def width(directory: RunDirectory) -> int:
    """Return d, the number of inputs of a function."""
    return int(directory.read_config()["task"]["input_dim"])


def error(rows: list[Row], learner: str, count: float) -> Estimate:
    """Return a learner's error after `count` examples, from rows of seeds.csv."""
    return estimate(rows_where(rows, {ByExamples.LEARNER: learner, ByExamples.EXAMPLES: count}), ByExamples.ERROR)


def mean_error(rows: list[Row], learner: str, counts: Sequence[float]) -> Estimate:
    """Return a learner's mean error over several numbers of examples."""
    return mean([error(rows, learner, count) for count in counts])


def relative(a: Estimate, b: Estimate) -> Estimate:
    """Return a / b - 1, within each seed."""

    def over(one: float, other: float) -> float:
        if other == 0:  # an exact predictor: nothing but another one is as good
            return 0.0 if one == 0 else math.inf
        return one / other - 1

    return combine(over, a, b)


def counts_of(rows: list[Row], *learners: str) -> list[float]:
    """Return the numbers of examples after which all of these learners were measured."""
    each = [set(distinct(rows_where(rows, {ByExamples.LEARNER: name}), ByExamples.EXAMPLES)) for name in learners]
    return sorted(set.intersection(*each))
