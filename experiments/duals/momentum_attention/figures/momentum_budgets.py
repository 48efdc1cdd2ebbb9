"""Momentum beside attention at several budgets of training: losses and accuracies at the end of each."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import line
from analysis.tables.select import Row, distinct, group_by, numbers, rows_where, table
from experiments.duals.momentum_attention import results
from experiments.duals.momentum_attention.results import BUDGETS_CLAIMS as CLAIMS
from experiments.duals.momentum_attention.results import BUDGETS_CONTROLS as CONTROLS
from lab.runs.directory import RunDirectory

__all__ = ["CAPTION", "CLAIMS", "CONTROLS", "NEEDS_POINTS", "draw"]
CAPTION = (
    "Decoders with one kind of positions after so many training steps, each number of steps being a training of its "
    "own; means over seeds, bars are two standard errors. Left: loss above that of the Bayes-optimal answer. Right: "
    "share of symbols that are predicted right."
)
NEEDS_POINTS = True
LOOK = {
    results.NONE: ("attention alone", "#000000"),
    results.AVERAGE: ("eta .5", "#0072B2"),
    results.LEARNED: ("learned eta", "#CC79A7"),
    results.SHIFT: ("previous token", "#D55E00"),
}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    ends = at_ends(directory)
    steps = distinct(ends, results.STEP)
    for panel, column in zip(axes[0], (results.excess, results.accuracy), strict=True):
        for variant, (label, color) in LOOK.items():
            of_variant = rows_where(ends, {results.VARIANT: variant})
            line(panel, of_variant, results.STEP, column.name, fmt="-o", color=color, label=label)
        panel.set(ylabel=column.title, xlabel="training steps", xscale="log")
        panel.set_xticks(steps, [f"{step:g}" for step in steps])
        panel.minorticks_off()
    style.legend(*axes[0])
    return figure


def at_ends(directory: RunDirectory) -> list[Row]:
    """Return the rows at the end of the training of each part of a sweep."""
    curves = table(directory, results.CURVES)
    parts = group_by(curves, results.PART).values()
    return [row for rows in parts for row in rows_where(rows, {results.STEP: max(numbers(rows, results.STEP))})]
