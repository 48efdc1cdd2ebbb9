"""Linear functions, without and with noise: a decoder beside the Bayes-optimal answer, least squares or ridge."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.budgets import at_largest, over_budgets
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, below
from analysis.figures.prefixes import SUBJECT, error, relative, width
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where, table
from experiments.functions.functions.controls import CONTROLS as CONTROLS
from experiments.functions.functions.figure import errors
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Squared error divided by that of the answer 0, against the number of examples in the context, one panel per noise "
    "on the examples' targets; Bayes-optimal is least squares without noise and ridge regression at its variance with "
    "it. Last: the trained decoder's error over the Bayes-optimal one's, minus 1, on the same episodes, where there is "
    "noise; grey: 10%. Means over seeds, bands one standard deviation."
)
NEEDS_POINTS = True
NOISE = "task.noise"
CLOSE, SMALL = 0.1, 0.05


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
        excesses = [relative(error(rows, SUBJECT, count), error(rows, "optimal", count)) for count in counts]
        values = np.array([[*each.by_seed.values()] for each in excesses])
        mean, spread = values.mean(axis=1), values.std(axis=1, ddof=1) if values.shape[1] > 1 else 0.0
        color = ROLES[SUBJECT].colour
        panel.plot(counts, mean, color=color)
        panel.fill_between(counts, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
    panel.axhspan(-CLOSE, CLOSE, color="#999999", alpha=0.15, linewidth=0)
    panel.set(xlabel="examples in the context", ylabel="error / Bayes-optimal error - 1", title="with noise")


def _rows(directory: RunDirectory, noisy: bool) -> list[Row]:
    """Return the rows of seeds.csv with the largest noise, or without noise.

    Raises:
        NotMeasured: there are no such rows.
    """
    noises = [noise for noise in distinct(table(directory, Table.SEEDS), NOISE) if (noise > 0) == noisy]
    if not noises:
        raise NotMeasured("there is no run " + ("with noise" if noisy else "without noise"))
    return rows_where(table(directory, Table.SEEDS), {NOISE: noises[-1]})


def close_to_ridge(directory: RunDirectory) -> list[Condition]:
    """Return one condition per number of examples up to 3 d."""
    rows, most = _rows(directory, noisy=True), 3 * width(directory)
    counts = distinct(rows, ByExamples.EXAMPLES)
    if counts[-1] < most:
        raise NotMeasured(f"contexts end before 3 d = {most} examples")
    return [
        below(
            f"{count:g} examples: error / ridge's - 1",
            relative(error(rows, SUBJECT, count), error(rows, "optimal", count)),
            CLOSE,
        )
        for count in counts
        if count <= most
    ]


def small_error(directory: RunDirectory) -> list[Condition]:
    rows, count = _rows(directory, noisy=False), 2 * width(directory)
    return [below(f"error after {count} examples", error(rows, SUBJECT, count), SMALL)]


def beats_the_simple(directory: RunDirectory) -> list[Condition]:
    rows, d = _rows(directory, noisy=False), width(directory)
    return [
        below(
            f"{count} examples: error / that of {other} - 1",
            relative(error(rows, SUBJECT, count), error(rows, other, count)),
        )
        for other in ("averaging", "nearest")
        for count in (d, 2 * d)
    ]


CRITERIA = (
    Claim(
        "A Transformer learns linear functions in context as well as least squares, which is optimal.",
        said(Work.GARG22, "abstract and figure on linear functions"),
        "without noise, a squared error of at most .05 of that of the answer 0 after 2 d examples",
        small_error,
    ),
    Claim(
        "With noisy examples it learns as well as the Bayes-optimal predictor, ridge regression.",
        own("derived here from the task: ridge regression at the variance of the noise is optimal"),
        "error within 10% of ridge's, at the variance of the noise, after every number of examples up to 3 d",
        close_to_ridge,
    ),
    Claim(
        "It is more accurate than averaging and than nearest neighbours.",
        said(Work.GARG22, "figure on linear functions"),
        "without noise, a smaller error than either after d and after 2 d examples",
        beats_the_simple,
    ),
)
CLAIMS = over_budgets(CRITERIA, Table.SEEDS)
