"""The results of `dti`: columns of click models by how they were trained, and bounds on them [DTI].

A part of a sweep is a way of training. Claims are in `schemes`. Controls look at prompts as in training, and not at
sliding windows: a model that is good in training and bad on sliding windows has learned, and this is what the claims
are about.
"""

import dataclasses

import numpy as np

from analysis.figures import controls
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition
from analysis.results.column import Column
from analysis.results.quantity import Bounds, Every, Numbers, Quantity
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where, table
from experiments.clicks import tables
from experiments.clicks.tables import NEAR, SLIDING, STREAMING, Clicks
from lab.runs.directory import RunDirectory

CLICKS = "clicks"  # table
PART = "part"  # of a sweep: how a decoder was trained
ITEM, BEST = "bayes_item", "bayes_window"  # Bayes-optimal answers from so much
HALF = 0.5  # of what a window tells beyond the item alone
SHARE = "share of what a window tells"
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


def near(part: str) -> Bounds:
    """Return the bound of AUC that is at most NEAR below that of sliding windows, at every number of targets."""
    return by_targets(auc, part) / of(auc, SLIDING) - 1 > -NEAR


def in_training(part: str) -> str:
    """Return the evaluation whose prompts are those of a part's training, by the end of the part's name."""
    return SLIDING if part.endswith(SLIDING) else STREAMING


def labelled_parts(rows: list[Row]) -> list[str]:
    """Return the parts of a sweep in the order of their labels."""
    return sorted(map(str, distinct(rows, PART)), key=[*LABELS].index)


def of_parts(*parts: str, share: float = HALF) -> tuple[Control, ...]:
    """Return the controls for claims about these parts of a sweep.

    Args:
        parts: the parts; those whose names end in `sliding` are trained on sliding windows.
        share: of what a window tells beyond the item alone, that they use at least.
    """
    return use_history(*parts, share=share), are_flat(*parts)


def use_history(*parts: str, share: float) -> Control:
    """Return the control that decoders use so much of what a window tells beyond the item alone."""
    bounds = tuple(used(part) > share for part in parts)
    amount = "half" if share == HALF else f"{100 * share:g}%"
    return Control(f"it uses at least {amount} of what a window tells beyond the item", Every(bounds))


def used(part: str) -> Quantity:
    """Return the share of what a window tells that a part uses, at each number of targets: (AUC - that from the item
    alone) / (that from a window - that from the item alone), Bayes-optimal both."""

    def share(rows: list[Row]) -> Estimate:
        answers = in_training(part), ITEM, BEST
        numbers = (estimate(rows_where(rows, {Clicks.ANSWERS: name}), Clicks.AUC) for name in answers)
        return combine(lambda a, low, high: (a - low) / (high - low), *numbers)

    def numbers(directory: RunDirectory) -> Numbers:
        groups = group_by(rows_where(table(directory, CLICKS), {PART: part}), Clicks.TARGETS)
        return {f"targets {count:g}": share(rows) for count, rows in groups.items()}

    return Quantity(SHARE, LABELS.get(part, part.replace("_", " ")), numbers, "at every number of targets,")


def are_flat(*parts: str) -> Control:
    """Return the control that losses on prompts as in training are flat at the end of training."""

    def judge(directory: RunDirectory) -> list[Condition]:
        flat = [controls.flat(f"loss.{in_training(part)}", part=part) for part in parts]
        return [condition for control in flat for condition in control.judge(directory)]

    return Control("the loss on prompts as in training is flat at the end of training", judge)
