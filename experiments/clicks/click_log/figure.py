"""One run of `click_log`: the loss along training, and AUC and log loss on the test targets beside the baselines'."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.results.column import Column
from analysis.tables.columns import Curves, Table
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.clicks.tables import Clicks, auc, log_loss
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: cross-entropy on validation targets against the training step, and on the batches since the last one; mean "
    "over seeds. Sliding: one target per prompt; streaming: as many as in training. Right: AUC and log loss (nats) on "
    "all test targets, one point per seed, with its standard error over the users of the test. Rate: the share of "
    "clicks in training; item: of each item. Logistic: a regression on an interaction's tokens and the share of clicks "
    "in its context; boosted: trees on the same."
)
LOOKS = {  # label, colour
    "sliding": ("sliding", "#0072B2"),
    "streaming": ("streaming", "#E69F00"),
    "logistic": ("logistic", "#555555"),
    "boosted": ("boosted", "#CC79A7"),
    "item": ("item", "#777777"),
    "rate": ("rate", "#999999"),
    "bayes_item": ("Bayes,\nitem alone", "#999999"),  # of `dti`
    "bayes_window": ("Bayes,\nwindow", "#555555"),
    "bayes_all": ("Bayes, all", "#000000"),
}
BASELINES = ("logistic", "boosted", "item", "rate")  # the same for all seeds
TRAINING = ("training", "#009E73")


def draw(directory: RunDirectory) -> Figure:
    curves, clicks = table(directory, Table.CURVES), table(directory, Table.CLICKS)
    figure, axes = style.panels(1, 3, width=11, height=3.6)
    losses, ranks, fits = axes.ravel()
    names = [name for name in LOOKS if name in distinct(clicks, Clicks.ANSWERS)]
    for column, label, color in _columns(curves, names):
        means = [np.mean(numbers(rows, column)) for rows in _by_step(curves, column).values()]
        losses.plot([*_by_step(curves, column)], means, "-o", color=color, label=label)
    losses.set(xlabel="training step", ylabel="cross-entropy (nats)")
    _ends(ranks, clicks, names, auc)
    _ends(fits, clicks, names, log_loss)
    style.legend(losses)
    return figure


def _columns(curves: list[Row], names: list[str]) -> list[tuple[str, str, str]]:
    """Return (column, label, colour) of each curve."""
    measured = [(f"loss.{name}", *LOOKS[name]) for name in names if f"loss.{name}" in curves[0]]
    return [*measured, ("train_loss.decoder", *TRAINING)]


def _by_step(curves: list[Row], column: str) -> dict[float, list[Row]]:
    """Return {step: rows}, of rows with a cell in the column; the training loss has none at the first step."""
    rows = [row for row in curves if isinstance(row[column], int | float)]
    return {step: rows_where(rows, {Curves.STEP: step}) for step in distinct(rows, Curves.STEP)}


def _ends(axes: Axes, clicks: list[Row], names: list[str], metric: Column) -> None:
    for place, name in enumerate(names):
        rows = rows_where(clicks, {Clicks.ANSWERS: name})
        rows = rows[:1] if name in BASELINES else rows
        spread = place + 0.3 * (np.arange(len(rows)) / max(len(rows) - 1, 1) - 0.5)
        values, errors = (np.array([row[key] for row in rows], float) for key in (metric.name, f"{metric.name}.stderr"))
        axes.errorbar(spread, values, np.nan_to_num(errors), fmt="o", color=LOOKS[name][1], capsize=2)
        axes.plot([place - 0.3, place + 0.3], [values.mean()] * 2, color=LOOKS[name][1])
    axes.set(ylabel=metric.title)
    axes.set_xticks(range(len(names)), [LOOKS[name][0] for name in names])
