"""Momentum beside attention at several budgets of training: losses and accuracies at the end of each."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.results.column import Column
from analysis.tables.select import Row, distinct, numbers, rows_where, table
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
    for panel, column in zip(axes[0], (results.excess, results.accuracy), strict=True):
        _against_steps(panel, ends, column)
        panel.set(ylabel=column.title, xlabel="training steps", xscale="log")
    style.legend(*axes[0])
    return figure


def _against_steps(panel: Axes, ends: dict[str, list[Row]], column: Column) -> None:
    steps = [rows[0].number(results.STEP) for rows in ends.values()]
    for variant, (label, color) in LOOK.items():
        at_each = [mean_over_seeds(rows_where(rows, {results.VARIANT: variant}), column.name) for rows in ends.values()]
        means, errors = zip(*at_each, strict=True)
        panel.errorbar(steps, means, errors, fmt="-o", markersize=4, capsize=2, color=color, label=label)
    panel.set_xticks(steps, [f"{step:g}" for step in steps])
    panel.minorticks_off()


def at_ends(directory: RunDirectory) -> dict[str, list[Row]]:
    """Return {part: the rows at the end of its training}, of the parts of a sweep in the order of their steps."""
    curves = table(directory, results.CURVES)
    ends = {}
    for part in distinct(curves, results.PART):
        rows = rows_where(curves, {results.PART: part})
        ends[str(part)] = rows_where(rows, {results.STEP: max(numbers(rows, results.STEP))})
    return dict(sorted(ends.items(), key=lambda item: item[1][0].number(results.STEP)))
