"""What the figures of `dti` have in common: AUCs by seed, and their differences from the sliding window's."""

import numpy as np

from analysis.figures.evidence import Estimate, combine, estimate
from analysis.tables.select import Row, distinct, rows_where

NEAR = 0.002  # relative AUC that counts as nothing: .2% [DTI]
SLIDING = "sliding"  # the evaluation, and the part that is trained so
STREAMING = "streaming"
LABELS = {
    "sliding": "sliding window",
    "naive": "DTI-",
    "no_id": "[SUM] takes no position",
    "alibi": "[SUM] without position, ALiBi",
    "literal": "the same, keys rotated",
    "reset": "reset",
    "dti": "DTI",
    "reset_last": "DTI, reset in last layer",
    "reset_train": "DTI, reset in training",
    "own": "reset to own encoding",
    "local": "local mask",
    "split": "split window",
    "full": "no window",
}


def metric(rows: list[Row], name: str = "auc", answers: str = SLIDING, **where) -> Estimate:
    """A number by seed, of the rows of clicks.csv that have these values."""
    return estimate(rows_where(rows, answers=answers, **where), name)


def relative(found: Estimate, reference: Estimate) -> Estimate:
    """found / reference - 1, within each seed: both have answered the same users."""
    return combine(lambda a, b: a / b - 1, found, reference)


def slope(numbers: dict[float, Estimate]) -> Estimate:
    """Of a straight line through the numbers against the logarithm of their keys, within each seed."""
    at = np.log([*numbers])
    return combine(lambda *values: float(np.polyfit(at, values, 1)[0]), *numbers.values())


def by_targets(rows: list[Row], name: str = "auc", answers: str = SLIDING) -> dict[float, Estimate]:
    """{targets of a training prompt: number by seed}."""
    return {k: metric(rows_where(rows, targets=k), name, answers) for k in distinct(rows, "targets")}
