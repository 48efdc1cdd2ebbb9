"""Linear functions, without and with noise: a decoder beside the Bayes-optimal answer, least squares or ridge."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.budgets import at_largest, over_budgets
from analysis.figures.prefixes import SUBJECT, error, relative
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import Row, distinct, group_by, table
from experiments.functions.functions.errors import NOISE
from experiments.functions.functions.figure import errors
from experiments.functions.functions.results import CONTROLS as CONTROLS
from experiments.functions.functions.results import LINEAR, OPTIMAL
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Squared error divided by that of the answer 0, against the number of examples in the context, one panel per noise "
    "on the examples' targets; Bayes-optimal is least squares without noise and ridge regression at its variance with "
    "it. Last: the trained decoder's error over the Bayes-optimal one's, minus 1, on the same episodes, where there is "
    "noise; grey: 10%. Means over seeds, bands one standard deviation."
)
NEEDS_POINTS = True
CLOSE = 0.1


def draw(directory: RunDirectory) -> Figure:
    by_noise = group_by(table(at_largest(directory, Table.SEEDS), Table.SEEDS), NOISE)
    figure, axes = style.panels(1, len(by_noise) + 1, width=4 * (len(by_noise) + 1), height=3.8)
    for panel, (noise, rows) in zip(axes[0], by_noise.items(), strict=False):
        errors(panel, rows)
        panel.set_title(f"noise {noise:g}")
    _excess(axes[0, -1], {noise: rows for noise, rows in by_noise.items() if noise > 0})
    style.legend(*axes[0])
    return figure


def _excess(panel: Axes, by_noise: dict[float, list[Row]]) -> None:
    for rows in by_noise.values():
        counts = distinct(rows, ByExamples.EXAMPLES)
        excesses = [relative(error(rows, SUBJECT, count), error(rows, OPTIMAL, count)) for count in counts]
        values = np.array([[*each.by_seed.values()] for each in excesses])
        mean, spread = values.mean(axis=1), values.std(axis=1, ddof=1) if values.shape[1] > 1 else 0.0
        color = ROLES[SUBJECT].colour
        panel.plot(counts, mean, color=color)
        panel.fill_between(counts, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
    panel.axhspan(-CLOSE, CLOSE, color="#999999", alpha=0.15, linewidth=0)
    panel.set(xlabel="examples in the context", ylabel="error / Bayes-optimal error - 1", title="with noise")


CLAIMS = over_budgets(LINEAR, Table.SEEDS)
