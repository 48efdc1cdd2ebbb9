"""AUC below the Bayes-optimal answer from a window along the training, one line for each way of training."""

import itertools
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Curves, Table
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.clicks.dti.drawing.parts import draw_parts
from experiments.clicks.dti.results import BEST, LABELS, SLIDING, labelled_parts
from experiments.clicks.dti.results.time import seconds_per_step, spent, targets_per_step
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#777777")

LINES_AND_ENDS = (  # the caption of `draw_by_targets_and_time`
    "Along the training: Bayes-optimal AUC from a window minus AUC on sliding windows, on the same users, mean over "
    "seeds. Left: against the targets that a model has seen. Middle: against the seconds of the processor that this "
    "took, of all threads. Right: AUC at the end minus the Bayes-optimal one from a window, within each seed: on "
    "sliding windows (filled) and on prompts as in training (open), bars are two standard errors."
)


def draw_by_targets_and_time(directory: RunDirectory) -> Figure:
    """Draw lines against targets seen, and against processor time, and the AUC at the end."""
    figure, axes = style.panels(1, 3, width=13, height=4)
    targets, times, ends = axes[0]
    draw_along(targets, directory, targets_per_step)
    targets.set(xlabel="targets seen", ylabel="AUC, Bayes from a window - model")
    draw_along(times, directory, seconds_per_step)
    times.set(xlabel="seconds of the processor")
    draw_ends(ends, directory)
    style.legend(targets)
    return figure


def draw_along(panel: Axes, directory: RunDirectory, per_step: Callable[[Row], float]) -> None:
    """Draw one line per part, means over seeds.

    Args:
        per_step: the row of a part in spent.csv -> what a step adds to the horizontal axis.

    Raises:
        NotMeasured: a part has no row in spent.csv.
    """
    curves = table(directory, Table.CURVES)
    looks = itertools.product(("-", "--"), COLOURS)  # dashed where there are more lines than colours
    for part, (line, color) in zip(labelled_parts(table(directory, Table.CLICKS)), looks, strict=False):
        steps, below_best = _below(rows_where(curves, {"part": part}))
        panel.plot(steps * per_step(spent(directory, part)), below_best, line, color=color, label=LABELS[part])
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set(xscale="log")


def draw_ends(panel: Axes, directory: RunDirectory) -> None:
    """Draw AUC at the end minus that of the Bayes-optimal answer from a window to the same users, of all parts.

    The difference is taken within a seed, so that parts with fewer seeds stand beside the others.
    """
    clicks = table(directory, Table.CLICKS)
    parts = labelled_parts(clicks)
    draw_parts(panel, _minus_best(clicks), parts, parts)
    panel.axvline(0, color="#555555", linestyle="--")
    panel.set(xlabel="AUC, model - Bayes from a window")
    panel.locator_params(axis="x", nbins=6)


def _minus_best(rows: list[Row]) -> list[Row]:
    """Return rows of clicks.csv with the AUC of the Bayes-optimal answer from a window subtracted."""
    best = {(row["part"], row["seed"]): row.number(Clicks.AUC) for row in rows_where(rows, {Clicks.ANSWERS: BEST})}
    return [Row({**row, Clicks.AUC: row.number(Clicks.AUC) - best[row["part"], row["seed"]]}) for row in rows]


def _below(rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return the steps of a part's curves after the first, and by how much AUC is below the best, means over seeds."""
    steps = [step for step in distinct(rows, Curves.STEP) if isinstance(step, float) and step > 0]
    lacking = [
        np.mean([row.number(f"auc.{BEST}") - row.number(f"auc.{SLIDING}") for row in rows_where(rows, {"step": step})])
        for step in steps
    ]
    return np.array(steps), np.array(lacking)
