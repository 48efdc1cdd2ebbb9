"""Numbers that the figures of `dti` share: AUCs by seed, and their differences from the sliding window's."""

import numpy as np

from analysis.figures.estimates import Estimate, combine, estimate
from analysis.tables.select import NotMeasured, Row, distinct, rows_where
from experiments.clicks.tables import Clicks

NEAR = 0.002  # relative difference of AUC that counts as none; the worst of DTI's in its table 1 is -.17% [DTI]
SLIDING = "sliding"  # the evaluation on sliding windows, and the part that is trained on them
STREAMING = "streaming"
BEST = "bayes_window"  # the Bayes-optimal answer from a window
LABELS = {
    "sliding": "sliding window",
    "short_sliding": "sliding window, fewer steps",
    "naive": "DTI-",
    "naive_10": "DTI-, 10 targets",
    "no_id": "[SUM] takes no position",
    "alibi": "[SUM] without position, ALiBi",
    "literal": "the same, keys rotated",
    "reset": "reset",
    "dti": "DTI",
    "steep": "DTI, steeper slopes",
    "fewer": "DTI, fewer steps",
    "whole": "DTI, whole reset",
    "dti_mild": "DTI, weak reset in last layer",
    "reset_last": "DTI, reset in last layer",
    "reset_train": "DTI, reset in training",
    "own": "reset to own encoding",
    "local": "local mask",
    "split": "split window",
    "deep_split": "split window, 4 layers",
    "shallow_split": "split window, 2 layers",
    "shallow_naive": "DTI-, 2 layers",
    "full": "no window",
    "adamw": "AdamW",
    "muon": "Muon",
    "untrained": "DTI-, from an untrained decoder",
    "longer_sliding": "sliding window, twice the steps",
    "longer_naive": "DTI-, twice the steps",
    "longer_dti": "DTI, twice the steps",
    "longer_fewer": "DTI, fewer steps, twice these",
    "longer_whole": "DTI, whole reset, twice the steps",
    "longer_split": "split window, twice the steps",
}


def in_training(part: str) -> str:
    """Return the evaluation whose prompts are those of a part's training, by the end of the part's name."""
    return SLIDING if part.endswith(SLIDING) else STREAMING


def labelled_parts(rows: list[Row]) -> list[str]:
    """Return the parts of a sweep in the order of their labels."""
    return sorted(map(str, distinct(rows, "part")), key=[*LABELS].index)


def metric(rows: list[Row], name: str = Clicks.AUC, answers: str = SLIDING, **where) -> Estimate:
    """Return a number by seed, from the rows of clicks.csv that have these values."""
    return estimate(rows_where(rows, {Clicks.ANSWERS: answers, **where}), name)


def relative(number: Estimate, reference: Estimate) -> Estimate:
    """Return number / reference - 1 within each seed, in which both have answered the same users."""
    return combine(lambda a, b: a / b - 1, number, reference)


def slope(numbers: dict[float, Estimate]) -> Estimate:
    """Return the slope of a line through the numbers against the logarithm of their keys, within each seed.

    The line is fitted by least squares.

    Raises:
        NotMeasured: there is one number alone.
    """
    if len(numbers) < 2:
        raise NotMeasured("one number of targets alone has no slope")
    logarithms = np.log([*numbers])
    return combine(lambda *values: float(np.polyfit(logarithms, values, 1)[0]), *numbers.values())


def by_targets(rows: list[Row], name: str = Clicks.AUC, answers: str = SLIDING) -> dict[float, Estimate]:
    """Return {number of targets of a training prompt: a number by seed}."""
    return {k: metric(rows_where(rows, {Clicks.TARGETS: k}), name, answers) for k in distinct(rows, Clicks.TARGETS)}
