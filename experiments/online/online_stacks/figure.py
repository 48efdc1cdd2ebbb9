"""Stacks of delta-rule layers beside passes of stochastic gradient descent and steps of GD++, by task."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.results.column import Column
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.online.curves import PART
from experiments.online.online_stacks.results import DEPTH, STACKS, optimal, passes, steps, trained
from lab.runs.directory import RunDirectory

CAPTION = (
    "Squared error in units of the answer 0's by the number of layers, passes or steps, mean over seeds; bars are two "
    "standard errors. Circles: stacks trained from random weights. Squares: passes of stochastic gradient descent at "
    "the best rate of each. Triangles: steps of GD++ at the best rates of each. Line: the Bayes-optimal answer."
)
NEEDS_POINTS = True


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, STACKS)
    parts = distinct(rows, PART)
    figure, axes = style.panels(1, len(parts), width=4.5 * len(parts), height=3.6)
    for panel, part in zip(axes[0], parts, strict=True):
        lines(panel, rows_where(rows, {PART: part}))
        panel.set_title(str(part))
    style.legend(*axes[0])
    return figure


def lines(panel: Axes, rows: list[Row]) -> None:
    """Draw the errors of one task against the number of layers."""
    depths = distinct(rows, DEPTH)

    def line(column: Column, **look: Any) -> None:
        of_depths = (rows_where(rows, {DEPTH: depth}) for depth in depths)
        means, errors = zip(*(mean_over_seeds(each, column.name) for each in of_depths), strict=True)
        panel.errorbar(depths, means, errors, **look)

    line(trained, marker="o", color="#0072B2", label="trained stack")
    line(passes, marker="s", linestyle="--", color="#D55E00", label="passes of SGD")
    line(steps, marker="^", linestyle=":", color="#009E73", label="steps of GD++")
    panel.axhline(mean_over_seeds(rows, optimal.name)[0], color="#999999", linewidth=0.8, label="Bayes")
    panel.set(yscale="log", xlabel="layers, passes or steps", ylabel=trained.title)
    panel.set_xticks(depths, [f"{depth:g}" for depth in depths])
