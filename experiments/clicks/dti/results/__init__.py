"""The results of `dti`: columns of click models by how they were trained, and bounds on them [DTI].

A part of a sweep is a way of training. Claims are in `schemes`, and their controls in `history`. Nothing here draws.
"""

import dataclasses

import numpy as np

from analysis.figures.estimates import Estimate, combine, estimate
from analysis.results.column import Column
from analysis.results.quantity import Bounds, Numbers, Quantity
from analysis.tables.select import NotMeasured, Row, distinct, rows_where
from experiments.clicks import tables
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

CLICKS = "clicks"  # table
PART = "part"  # of a sweep: how a decoder was trained
SLIDING, STREAMING = "sliding", "streaming"  # evaluations; the first is the part that is trained on them, too
ITEM, BEST, ALL = "bayes_item", "bayes_window", "bayes_all"  # Bayes-optimal answers from so much
NEAR = 0.002  # relative difference of AUC that counts as none; the worst of DTI's in its table 1 is -.17% [DTI]
LABELS = {
    "sliding": "sliding window",
    "naive": "DTI-",
    "naive_10": "DTI-, 10 targets",
    "no_id": "[SUM] takes no position",
    "alibi": "[SUM] without position, ALiBi",
    "reset": "reset",
    "dti": "DTI",
    "own": "reset to own encoding",
    "split": "split window",
    "deep_split": "split window, 4 layers",
    "shallow_split": "split window, 2 layers",
    "shallow_naive": "DTI-, 2 layers",
}


def measured(column: Column, answers: str, label: str = "") -> Column:
    """Return a column of clicks.csv by part, of one evaluation or Bayes-optimal answer."""
    return dataclasses.replace(column, key=PART, label=label or column.label, implied=((Clicks.ANSWERS, answers),))


auc, log_loss, f1 = (measured(each, SLIDING) for each in (tables.auc, tables.log_loss, tables.f1))
as_trained = measured(tables.auc, STREAMING, "AUC on prompts as in training")
bayes = measured(tables.auc, BEST, "AUC of Bayes from a window")
gap = Column(CLICKS, Clicks.GAP_AUC, "gap", "AUC on prompts of many targets minus that on sliding windows, same users.",
             PART, implied=((Clicks.ANSWERS, STREAMING),))  # fmt: skip

# The numbers of a run, which has no parts, are written by `files`.
HEADLINES = (auc, log_loss, f1, dataclasses.replace(gap, name="gap", label="AUC, gap"))
ANSWER = (
    "trained on prompts of {model.targets} targets, the decoder has an AUC of {auc} on sliding windows",
    "on prompts as in training it differs by {gap}",
)


def of(column: Column, part: str) -> Quantity:
    """Return the number of a part."""
    return dataclasses.replace(column[part], subject=LABELS.get(part, part.replace("_", " ")))


def by_targets(column: Column, *parts: str) -> Quantity:
    """Return the number of parts at each of their numbers of targets; the subject is the first part."""
    numbers = column.where(part=parts).along(Clicks.TARGETS)
    return dataclasses.replace(numbers, subject=LABELS[parts[0]])


def beside(part: str, other: str) -> Quantity:
    """Return AUC of a part on sliding windows / that of another - 1."""
    return of(auc, part) / of(auc, other) - 1


def slope(quantity: Quantity) -> Quantity:
    """Return the slope of a line through the numbers of targets' logarithms, fitted by least squares in each seed."""

    def numbers(directory: RunDirectory) -> Numbers:
        places = quantity.numbers(directory)
        if len(places) < 2:
            raise NotMeasured("one number of targets alone has no slope")
        logarithms = np.log([float(place.split()[-1]) for place in places])
        return {"": combine(lambda *values: float(np.polyfit(logarithms, values, 1)[0]), *places.values())}

    return Quantity(f"slope of {quantity.label} against log targets", quantity.subject, numbers)


def better(part: str, other: str) -> Bounds:
    """Return the bound of AUC that is above that of another part, at every number of targets."""
    return by_targets(auc, part) - by_targets(auc, other) > 0


def near(part: str) -> Bounds:
    """Return the bound of AUC that is at most NEAR below that of sliding windows, at every number of targets."""
    return by_targets(auc, part) / of(auc, SLIDING) - 1 > -NEAR


def closes_more(part: str, other: str) -> Bounds:
    """Return the bound of a gap that is smaller than that of another part."""
    return of(gap, other) - of(gap, part) > 0


def in_training(part: str) -> str:
    """Return the evaluation whose prompts are those of a part's training, by the end of the part's name."""
    return SLIDING if part.endswith(SLIDING) else STREAMING


def labelled_parts(rows: list[Row]) -> list[str]:
    """Return the parts of a sweep in the order of their labels."""
    return sorted(map(str, distinct(rows, PART)), key=[*LABELS].index)


def metric(rows: list[Row], name: str = Clicks.AUC, answers: str = SLIDING, **where) -> Estimate:
    """Return a number by seed, from the rows of clicks.csv that have these values."""
    return estimate(rows_where(rows, {Clicks.ANSWERS: answers, **where}), name)
