"""Trained decoders on prompts of other distributions than those of training [Garg22, section 5]."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, combine
from analysis.figures.evidence import Condition, above, below
from analysis.figures.prefixes import error, over_seeds
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.demonstrations.prompt_shifts.columns import Errors, Table
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Squared error divided by E f², against the number of examples, of decoders trained on linear functions and inputs "
    "~ N(0, I), and of least squares (dashed); one colour per value. Top: other inputs; a query may be drawn apart "
    "from the context. Below: inputs or functions multiplied by a factor, and noise on the examples' targets. Means "
    "over seeds, bands one standard deviation."
)
SAME = "same"
PANELS = {  # shift: title
    SAME: "as in training",
    "skewed": "skewed covariance",
    "subspace": "subspace of half the dimensions",
    "orthants": "prompt and query in two orthants",
    "orthogonal": "query orthogonal to the examples",
    "repeated": "query equal to an example",
    "scale of x": "scale of x",
    "scale of f": "scale of f",
    "noise": "noise",
}
COLOURS = ("#332288", "#0072B2", "#E69F00", "#D55E00", "#CC79A7", "#009E73")
NEAR = 0.1  # of E f^2
HALF = 0.5  # of what least squares learns
SECTION = "section on prompts of other distributions"


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.SHIFTS)
    shifts = [shift for shift in PANELS if shift in distinct(rows, Errors.SHIFT)]
    figure, axes = style.panels(-(-len(shifts) // 3), 3, width=11, height=8.5)
    for panel, shift in zip(axes.flat, shifts, strict=False):
        _panel(panel, rows_where(rows, {Errors.SHIFT: shift}))
        panel.set_title(PANELS[shift])
    for panel in axes.flat[len(shifts) :]:
        panel.set_visible(False)
    style.legend(*axes.flat)
    return figure


def _panel(panel: Axes, rows: list[Row]) -> None:
    values = distinct(rows, Errors.VALUE)
    for value, color in zip(values, COLOURS * len(values), strict=False):
        for learner, line in (("decoder", "-"), ("least_squares", "--")):
            chosen = rows_where(rows, {Errors.VALUE: value, Errors.LEARNER: learner})
            counts, means, spreads = over_seeds(chosen, Errors.ERROR)
            factor = f", {value:g}" if len(values) > 1 else ""
            panel.plot(counts, means, line, color=color, label=f"{ROLES[learner].label}{factor}")
            panel.fill_between(
                counts, np.maximum(means - spreads, 0), means + spreads, color=color, alpha=0.2, linewidth=0
            )
    low, high = panel.get_ylim()
    panel.set(xlabel="examples in the context", ylabel="squared error / E f²", ylim=(max(low, -0.05), min(high, 3)))
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _error(rows: list[Row], shift: str, value: float, count: float) -> Estimate:
    return error(rows_where(rows, {Errors.SHIFT: shift, Errors.VALUE: value}), "decoder", count)


def _twice(rows: list[Row]) -> int:
    """Return 2 d, a number of examples; d is one more than the most examples that a query can be orthogonal to."""
    return 2 * (int(max(distinct(rows_where(rows, {Errors.SHIFT: "orthogonal"}), Errors.EXAMPLES))) + 1)


def near(*shifts: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the error after 2 d examples is hardly above that without a shift."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.SHIFTS)
        count, conditions = _twice(rows), []
        for shift in shifts:
            for value in distinct(rows_where(rows, {Errors.SHIFT: shift}), Errors.VALUE):
                more = _error(rows, shift, value, count) - _error(rows, SAME, 1, count)
                conditions.append(below(f"{shift} {value:g}: error - error without a shift", more, NEAR))
        return conditions

    return judge


def near_least_squares(directory: RunDirectory) -> list[Condition]:
    """Compare with least squares on the same prompts, since no learner reaches the error without noise."""
    rows = table(directory, Table.SHIFTS)
    count, noisy = _twice(rows), rows_where(table(directory, Table.SHIFTS), {Errors.SHIFT: "noise"})
    return [
        below(
            f"noise {value:g}: error - that of least squares",
            _error(rows, "noise", value, count)
            - error(rows_where(noisy, {Errors.VALUE: value}), "least_squares", count),
            NEAR,
        )
        for value in distinct(noisy, Errors.VALUE)
    ]


def no_better_than_zero(directory: RunDirectory) -> list[Condition]:
    """Compare with the answer 0, which is best, and is that of least squares.

    The examples say nothing about a query that is orthogonal to all of them.
    """
    rows = rows_where(table(directory, Table.SHIFTS), {Errors.SHIFT: "orthogonal"})
    return [
        below(
            f"{count:g} examples: error - that of the answer 0",
            error(rows, "decoder", count) - error(rows, "least_squares", count),
            NEAR,
        )
        for count in distinct(rows, Errors.EXAMPLES)
    ]


def lower_where_it_was_shown(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.SHIFTS)
    half = _twice(rows) // 4
    return [
        above(
            f"{half} examples: error as in training - error where the query is one of them",
            _error(rows, SAME, 1, half) - _error(rows, "repeated", 1, half),
        )
    ]


def judge_learned(directory: RunDirectory) -> list[Condition]:
    """Compare what the decoder gains over the answer 0, whose error is 1, with what least squares gains."""
    rows = rows_where(table(directory, Table.SHIFTS), {Errors.SHIFT: SAME})
    count = _twice(table(directory, Table.SHIFTS))
    gained = combine(
        lambda one, best: (1 - one) / (1 - best), error(rows, "decoder", count), error(rows, "least_squares", count)
    )
    return [above("prompts as in training: share of what least squares learns", gained, HALF)]


CONTROLS = (Control("the decoder learns at least half of what least squares learns in context", judge_learned),)
CLAIMS = (
    Claim(
        "The error stays as it is when inputs or functions are scaled.",
        said(Work.GARG22, SECTION + ", scaled prompts"),
        "after 2 d examples, relative to E f², at most .1 above the error without a shift, for every factor",
        near("scale of x", "scale of f"),
    ),
    Claim(
        "With noise that training did not have it is as accurate as least squares.",
        said(Work.GARG22, SECTION + ", noisy targets"),
        "error after 2 d examples at most .1 of E f² above that of least squares",
        near_least_squares,
    ),
    Claim(
        "The error stays as it is when prompt and query lie in different orthants.",
        said(Work.GARG22, SECTION + ", orthants"),
        "error after 2 d examples at most .1 of E f² above that without a shift",
        near("orthants"),
    ),
    Claim(
        "The error stays as it is with a skewed covariance and in a subspace of half of the dimensions.",
        said(Work.GARG22, SECTION + ", skewed covariance and subspace"),
        "error after 2 d examples at most .1 of E f² above that without a shift",
        near("skewed", "subspace"),
    ),
    Claim(
        "A query that is orthogonal to all examples is answered with nearly 0, as nothing is known of it.",
        said(Work.GARG22, SECTION + ", orthogonal query"),
        "error at most .1 of E f² above that of the answer 0 after every number of examples",
        no_better_than_zero,
    ),
    Claim(
        "A query that is one of the examples is answered more accurately than a new one.",
        said(Work.GARG22, SECTION + ", query equal to an example"),
        "error after d/2 examples below that on new queries",
        lower_where_it_was_shown,
    ),
)
