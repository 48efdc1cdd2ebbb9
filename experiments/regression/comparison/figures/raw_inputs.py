"""Normalised inputs beside raw ones: the tables of figures 4 and 6 of RAG-GD with raw inputs, z-scored and min-max."""

import functools
import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, stronger
from analysis.figures.claim import Claim
from analysis.figures.controls import each_seed
from analysis.tables.columns import Curves, Diverged, Table
from analysis.tables.select import NotMeasured, Row, group_by, table
from experiments.regression.comparison.claims import raw_inputs
from experiments.regression.comparison.drawing.against_step import NORMALIZATIONS
from experiments.regression.comparison.normalization import NAMES, TITLES
from experiments.regression.comparison.results import RAG
from lab.runs.directory import RunDirectory

CAPTION = (
    "The loss on test rows of the trained Transformer and of gradient descent on learned features (RAG) against the "
    "training step, and the largest ratio of a training batch's loss to that of the batch before since the last "
    "evaluation. One line per normalisation of the inputs and seed; a vertical line is a step at which a seed's "
    "training diverged."
)
NEEDS_POINTS = True
PANELS = {
    "loss.transformer": "test loss, Transformer",
    f"loss.{RAG}": "test loss, RAG",
    "train_jump.transformer": "largest jump, Transformer",
    f"train_jump.{RAG}": "largest jump, RAG",
}
SHOWN = (raw_inputs.RAW, *raw_inputs.NORMALISED)
ABSTRACT = "abstract"
CRITERION_OF_STEADINESS = (
    "on each of the four data sets, for the Transformer and for RAG, the steadiness of the training is above that with "
    "raw inputs, paired by seed: the smallest ratio of a batch's loss to that of the next batch, 0 for a seed that "
    "diverges; the source gives no measure"
)
CRITERION_OF_TESTS = (
    "after the same number of steps, on each of the four data sets, which are taken as the domains, the test losses of "
    "the Transformer and of RAG are below those with raw inputs, without the raw seeds that diverged; the source gives "
    "no measure"
)


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


def _rows(directory: RunDirectory, name: str, data: str) -> list[Row]:
    """Return a data set's rows of a table; none where there is no such table."""
    rows = table(directory, name) if directory.has_table(name) else []
    return [row for row in rows if row.get("data", "") == data]


def _panel(panel: Axes, directory: RunDirectory, data: str, number: str) -> None:
    curves, diverged = (_rows(directory, name, data) for name in (Table.CURVES, Table.DIVERGED))
    of_normalization = group_by(curves, "normalization") if curves else {}
    for how in SHOWN:
        label, color = NORMALIZATIONS[how]
        measured = [row for row in of_normalization.get(how, []) if not math.isnan(row.number(number))]
        for i, curve in enumerate(group_by(measured, Curves.SEED).values() if measured else ()):
            steps, values = ([row.number(key) for row in curve] for key in (Curves.STEP, number))
            panel.plot(steps, values, color=color, linewidth=0.9, label=label if i == 0 else None)
    for how, rows in group_by(diverged, "normalization").items() if diverged else ():
        label, color = NORMALIZATIONS[str(how)]
        for i, row in enumerate(rows):
            text = f"{label}: diverged" if i == 0 else None
            panel.axvline(row.number(Diverged.STEP), color=color, linestyle=":", linewidth=1.2, label=text)
    panel.set_yscale("log")  # with powers of ten as ticks: losses span up to ten of them


CLAIMS = (
    *(
        Claim(
            statement=f"With {NAMES[how]} training is more stable than with raw inputs.",
            source=stronger(Work.RAG_GD, ABSTRACT, "improve both stability during training"),
            criterion=CRITERION_OF_STEADINESS,
            judge=functools.partial(raw_inputs.training_is_steadier, normalization=how),
            points=f"normalization={how}",
            other_points=f"normalization={raw_inputs.RAW}",  # one that failed is a finding
            controls=each_seed(*raw_inputs.learned(tuple(TITLES), [how]), date="28 November 2026"),
        )
        for how in raw_inputs.NORMALISED
    ),
    *(
        Claim(
            statement=f"With {NAMES[how]} what is learned generalises better than with raw inputs.",
            source=stronger(Work.RAG_GD, ABSTRACT, "generalization across domains"),
            criterion=CRITERION_OF_TESTS,
            judge=functools.partial(raw_inputs.tests_better, normalization=how),
            controls=raw_inputs.learned(tuple(TITLES), [how]),
        )
        for how in raw_inputs.NORMALISED
    ),
    *(
        Claim(
            statement=f"{title}: the gap between test and training loss is smaller with normalised inputs than with "
            "raw ones.",
            source=own("derived here from RAG-GD, abstract, which gives no measure of generalisation"),
            criterion="after the same number of steps, for the Transformer and for RAG, the loss on test rows less "
            "that on training rows is below that with raw inputs, with z-score and with min-max",
            judge=functools.partial(raw_inputs.gap_is_smaller, data=data),
            points=f"data={data}",
            controls=raw_inputs.learned([data], SHOWN),
        )
        for data, title in TITLES.items()
        if data != "bike"  # where the gaps are the same: .0000 +- .0003
    ),
)
