"""Stacks of delta-rule layers beside passes of stochastic gradient descent and steps of GD++, by task."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import line, mean_over_seeds
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
    line(panel, rows, DEPTH, trained.name, color="#0072B2", label="trained stack")
    line(panel, rows, DEPTH, passes.name, fmt="s--", color="#D55E00", label="passes of SGD")
    line(panel, rows, DEPTH, steps.name, fmt="^:", color="#009E73", label="steps of GD++")
    panel.axhline(mean_over_seeds(rows, optimal.name)[0], color="#999999", linewidth=0.8, label="Bayes")
    panel.set(yscale="log", xlabel="layers, passes or steps", ylabel=trained.title)
    panel.set_xticks(depths, [f"{depth:g}" for depth in depths])
