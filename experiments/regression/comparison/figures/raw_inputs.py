"""Normalised inputs beside raw ones: the tables of figures 4 and 6 of RAG-GD with raw inputs, z-scored and min-max.

The abstract of RAG-GD gives no measure. Stability is taken as the steadiness of a training: the smallest ratio of a
batch's loss to that of the next batch. It is near 1 where the loss changes little from step to step, and 0 where it
diverges. Generalisation is taken as the loss on test rows. Runs are compared after the same number of steps, so losses
need not be flat at the end.
"""

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, stronger
from analysis.figures.controls import Control, each_seed
from analysis.figures.estimates import Estimate
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import Curves, Diverged, Table
from analysis.tables.select import NotMeasured, Row, group_by, numbers, table
from experiments.regression.comparison.drawing.against_step import NORMALIZATIONS
from experiments.regression.comparison.normalization import MEAN, NAMES, TITLES, has_learned
from experiments.regression.comparison.results import RAG, TRAINED, loss
from lab.runs.directory import RunDirectory

CAPTION = (
    "The loss on test rows of the trained Transformer and of gradient descent on learned features (RAG) against the "
    "training step, and the largest ratio of a training batch's loss to that of the batch before since the last "
    "evaluation. One line per normalisation of the inputs and seed; a vertical line is a step at which a seed's "
    "training diverged."
)
NEEDS_POINTS = True
KEPT_LEARNERS = (TRAINED, RAG, MEAN)
PANELS = {
    "loss.transformer": "test loss, Transformer",
    f"loss.{RAG}": "test loss, RAG",
    "train_jump.transformer": "largest jump, Transformer",
    f"train_jump.{RAG}": "largest jump, RAG",
}
RAW, NORMALISED = "none", ("zscore", "minmax")
LEARNERS = {TRAINED: "Transformer", RAG: "RAG"}
ABSTRACT = "abstract"


def draw(directory: RunDirectory) -> Figure:
    tables = [table(directory, name) for name in (Table.CURVES, Table.DIVERGED) if directory.has_table(name)]
    present = sorted({str(row.get("data", "")) for rows in tables for row in rows})  # "" where there is one alone
    if not present:
        raise NotMeasured("no data set was run")
    figure, axes = style.panels(len(present), len(PANELS), width=12, height=2.8 * len(present) + 0.4)
    for data, row in zip(present, axes, strict=True):
        for panel, (number, title) in zip(row, PANELS.items(), strict=True):
            _panel(panel, directory, data, number)
            unit = "1/2 squared error" if number.startswith("loss") else "ratio of two losses"
            head = f"{TITLES.get(data, data)}: " if data else ""
            panel.set(title=f"{head}{title}", xlabel="training step", ylabel=unit)
    style.legend(*axes.flat)
    return figure


def _rows(directory: RunDirectory, name: str, data: str, how: str) -> list[Row]:
    """Return the rows of a table on a data set with a normalisation; none where there is no such table."""
    rows = table(directory, name) if directory.has_table(name) else []
    return [row for row in rows if row.get("data", "") == data and row["data.normalization"] == how]


def _panel(panel: Axes, directory: RunDirectory, data: str, number: str) -> None:
    for how in (RAW, *NORMALISED):
        label, color = NORMALIZATIONS[how]
        curves, diverged = (_rows(directory, name, data, how) for name in (Table.CURVES, Table.DIVERGED))
        measured = [row for row in curves if not math.isnan(row.number(number))]
        for i, curve in enumerate(group_by(measured, Curves.SEED).values() if measured else ()):
            steps, values = ([row.number(key) for row in curve] for key in (Curves.STEP, number))
            panel.plot(steps, values, color=color, linewidth=0.9, label=label if i == 0 else None)
        for i, row in enumerate(diverged):
            text = f"{label}: diverged" if i == 0 else None
            panel.axvline(row.number(Diverged.STEP), color=color, linestyle=":", linewidth=1.2, label=text)
    panel.set_yscale("log")  # with powers of ten as ticks: losses span up to ten of them


def everywhere(label: str, how: str, number_of: Callable[[RunDirectory, str, str], Estimate]) -> Quantity:
    """Return a number of each table and learner under a normalisation.

    Args:
        number_of: the directory, data set and learner -> the number.
    """

    def numbers(directory: RunDirectory) -> Numbers:
        pairs = itertools.product(TITLES, LEARNERS.items())
        return {f"{TITLES[data]}, {who}": number_of(directory, data, learner) for data, (learner, who) in pairs}

    return Quantity(label, NAMES.get(how, "raw inputs"), numbers, "on every table, for the Transformer and for RAG,")


def steadiness(how: str) -> Quantity:
    """Return the steadiness of all trainings under a normalisation: 0 for seeds that diverged."""

    def of_pair(directory: RunDirectory, data: str, learner: str) -> Estimate:
        curves, diverged = (_rows(directory, name, data, how) for name in (Table.CURVES, Table.DIVERGED))
        if not curves and not diverged:
            raise NotMeasured(f"there is no row of {TITLES[data]} with data.normalization={how}")
        by_seed = {row.number(Diverged.SEED): 0.0 for row in diverged}
        for seed, curve in group_by(curves, Curves.SEED).items() if curves else ():
            jumps = [jump for jump in numbers(curve, f"train_jump.{learner}") if not math.isnan(jump)]
            if not jumps:
                raise NotMeasured(f"{TITLES[data]} was evaluated after every batch, so there are no jumps in between")
            by_seed[seed] = 1 / max(jumps)
        return Estimate(by_seed)

    return everywhere("steadiness", how, of_pair)


def losses(how: str) -> Quantity:
    """Return the losses on test rows under a normalisation, at the end of training.

    Seeds that diverge on raw inputs are left out, which is in favour of these. It is not measured where a seed diverged
    with a normalisation.
    """

    def of_pair(directory: RunDirectory, data: str, learner: str) -> Estimate:
        if how != RAW and (gone := _rows(directory, Table.DIVERGED, data, how)):
            first = min(row.number(Diverged.STEP) for row in gone)
            raise NotMeasured(f"{TITLES[data]}, {how}: {len(gone)} of the seeds diverged, the first at step {first:g}")
        column = dataclasses.replace(loss, implied=()).where(evaluation="test", data=data, normalization=how)
        return column[learner].numbers(directory)[""]

    return everywhere("test loss", how, of_pair)


def learned(ways: Sequence[str]) -> tuple[Control, ...]:
    """Return the controls that the Transformer and RAG have learned all tables under these normalisations.

    Claims on losses of test rows must not ask each seed by itself, as the control looks at these losses, too.
    """
    return tuple(has_learned(data, how) for data in TITLES for how in ways)


CLAIMS = (
    *(
        claim(
            f"With {NAMES[how]} training is more stable than with raw inputs.",
            stronger(Work.RAG_GD, ABSTRACT, "improve both stability during training"),
            steadiness(how) - steadiness(RAW) > 0,
            "the smallest ratio of a batch's loss to that of the next batch, 0 for a seed that diverges; the source "
            "gives no measure",
            points=f"normalization={how}",
            other_points=f"normalization={RAW}",  # one that failed is a finding
            controls=each_seed(*learned([how]), date="28 November 2026"),
        )
        for how in NORMALISED
    ),
    claim(
        "With normalised inputs what is learned generalises better than with raw inputs.",
        stronger(Work.RAG_GD, ABSTRACT, "generalization across domains"),
        (losses("zscore") - losses(RAW) < 0) & (losses("minmax") - losses(RAW) < 0),
        "after the same number of steps, without raw seeds that diverged; the tables are taken as the domains, and the "
        "source gives no measure",
        controls=learned(NORMALISED),
        changed="29 November 2026: both normalisations in one claim",
    ),
)
