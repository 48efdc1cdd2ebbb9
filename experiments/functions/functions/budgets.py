"""The figure of a sweep over `train.steps`: a decoder's error against its budget of training, beside others."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from analysis.figures import style
from analysis.figures.budgets import AtBudget, budgets
from analysis.figures.estimates import Estimate
from analysis.figures.prefixes import SUBJECT, counts_of, mean_error, width
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import NotMeasured, Row, column, distinct, rows_where, table
from experiments.functions.functions.figure import REFERENCES, errors, in_order
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: squared error divided by that of the answer 0, against the number of examples, at the largest budget of "
    "training. Middle: the mean error over {counts} examples against the number of training steps; each number of "
    "steps is a training of its own, with a rate that decays to zero. Right: the decoder's squared distance from the "
    "exact Bayes answer over the same numbers of examples, which no error of the exact answer hides. Bars: one "
    "standard deviation over seeds."
)


def draw(directory: RunDirectory, first: float, last: float) -> Figure:
    """Draw the figure.

    Args:
        first, last: the numbers of examples, as multiples of the inputs' width d, over which errors are averaged.

    Raises:
        NotMeasured: there is one budget, or none.
    """
    rows = table(directory, Table.SEEDS)
    steps = budgets(rows)
    if len(steps) < 2:
        raise NotMeasured("a curve against the budget takes two numbers of train.steps")
    figure, axes = style.panels(1, 3, width=12.5, height=3.8)
    left, middle, right = axes[0]
    errors(left, table(AtBudget(directory, steps[-1]), Table.SEEDS))
    left.set_title(f"{steps[-1]:g} steps")
    at_each = {count: table(AtBudget(directory, count), Table.SEEDS) for count in steps}
    d = width(directory)
    for name in in_order(distinct(rows, ByExamples.LEARNER)):
        values = [_mean(group, name, first * d, last * d, ByExamples.ERROR) for group in at_each.values()]
        _line(middle, steps, values, name)
    if ByExamples.DISTANCE in rows[0]:
        distances = [_mean(group, SUBJECT, first * d, last * d, ByExamples.DISTANCE) for group in at_each.values()]
        _line(right, steps, distances, SUBJECT)
    middle.set(title="error", ylabel="squared error / E f²")
    right.set(title="distance from the exact answer", ylabel="squared distance / E f²")
    for panel in (middle, right):
        panel.set(xlabel="training steps", xscale="log", yscale="log")
        panel.set_xticks(steps, [f"{n:g}" for n in steps])
        panel.xaxis.set_minor_locator(NullLocator())
        style.log(panel)
    style.legend(left, middle)
    return figure


def _mean(rows: list[Row], learner: str, first: float, last: float, number: str) -> Estimate:
    """Return the mean of a number over the examples between two counts, from rows of one budget."""
    counts = [count for count in counts_of(rows, learner) if first <= count <= last]
    name = column(rows, number)
    return mean_error(
        [Row({**row, ByExamples.ERROR: row[name]}) for row in rows_where(rows, {ByExamples.LEARNER: learner})],
        learner,
        counts,
    )


def _line(panel: Axes, steps: list[float], values: list[Estimate], name: str) -> None:
    role, wide = ROLES[name], style.WIDE if name in REFERENCES else {}
    means = np.array([each.mean for each in values])
    spreads = np.array([np.std([*each.by_seed.values()], ddof=1) if len(each.by_seed) > 1 else 0.0 for each in values])
    if not (means > 0).all():
        return  # an exact predictor, which has no place on a logarithmic axis
    panel.plot(steps, means, role.line, color=role.colour, label=role.label, **wide)
    if name == SUBJECT:
        panel.errorbar(steps, means, spreads, fmt="o", color=role.colour, markersize=4, capsize=2)
