"""Search for demonstrations where users change before the test, and where part of a pool is another person's [LRGD]."""

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from experiments.demonstrations.demonstrations.columns import Common, Table
from experiments.demonstrations.demonstrations.judges import gain, judge_flat
from lab.runs.directory import RunDirectory

CAPTION = (
    "Differences of nDCG@10 on test queries, of the same users, mean over seeds; bars are two standard errors. Against "
    "the share of a user's taste and habits that has changed before the test, one line per share of the pool that is "
    "another person's. Left: three paths, perturbed by any other path, minus the same without perturbation. Middle: "
    "the same minus one path with sets as long and as many evaluations. Right: that search minus the whole pool."
)
NEEDS_POINTS = True
SHIFT, CONTAMINATION = "shift", "contamination"
PANELS = (
    ("three_other", "three", "perturbed - not"),
    ("three_other", "long_more", "perturbed - one long path"),
    ("long_more", "whole_pool", "one long path - whole pool"),
)
COLOURS = ("#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7")


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.DIFFERENCES)
    shifts, shares = distinct(rows, SHIFT), distinct(rows, CONTAMINATION)
    figure, axes = style.panels(1, len(PANELS), width=13, height=3.8)
    for panel, (method, other, label) in zip(axes[0], PANELS, strict=True):
        for share, color in zip(shares, COLOURS, strict=False):
            gains = [_gain(rows, method, other, shift, share) for shift in shifts]
            errors = [np.nan_to_num(2 * each.stderr) for each in gains]
            panel.errorbar(
                shifts,
                [each.mean for each in gains],
                errors,
                fmt="-o",
                color=color,
                capsize=2,
                label=f"{share:g} of the pool another's",
            )
        panel.axhline(0, color="#999999", linewidth=0.8)
        panel.set(xlabel="share of the user that has changed", ylabel=f"nDCG@10, {label}")
    style.legend(axes[0, 0])
    return figure


def _gain(rows: list[Row], method: str, other: str, shift: float, share: float) -> Estimate:
    """Return nDCG@10 of a method minus that of another, at one shift and contamination."""
    place = rows_where(rows, {SHIFT: shift, CONTAMINATION: share})
    counts = distinct(place, Common.QUERIES)
    if len(counts) != 1:
        raise NotMeasured(f"{len(counts)} numbers of validation queries, and not one")
    return gain(place, method, other, counts[0])


def _ends(rows: list[Row], column: str) -> tuple[float, float]:
    """Return the smallest value of an axis, which has to be 0, and the largest.

    Raises:
        NotMeasured: there are fewer than two, or 0 is not among them.
    """
    values = distinct(rows, column)
    if len(values) < 2 or values[0] != 0:
        raise NotMeasured(f"{column} is {values}, and not 0 and more")
    return values[0], values[-1]


def at_largest_change(words: str, other: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether three perturbed paths are better than another method where users have changed most.

    Args:
        words: what the difference is called.
        other: the method.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.DIFFERENCES)
        _, most = _ends(rows, SHIFT)
        return [
            above(f"{words} at shift {most:g}, {share:g} of the pool another's",
                  _gain(rows, "three_other", other, most, share))
            for share in distinct(rows, CONTAMINATION)
        ]  # fmt: skip

    return judge


def judge_shift(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.DIFFERENCES)
    none, most = _ends(rows, SHIFT)
    conditions = []
    for share in distinct(rows, CONTAMINATION):
        later, now = (_gain(rows, "three_other", "three", shift, share) for shift in (most, none))
        name = f"gain of perturbation at shift {most:g} - without, {share:g} of the pool another's"
        conditions += [above(name, later - now)]
    return conditions


def judge_contamination(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.DIFFERENCES)
    none, most = _ends(rows, CONTAMINATION)
    shift = distinct(rows, SHIFT)[0]
    mixed, clean = (_gain(rows, "long_more", "whole_pool", shift, share) for share in (most, none))
    return [above(f"search - whole pool, {most:g} of it another's - none", mixed - clean)]


def judge_use(directory: RunDirectory) -> list[Condition]:
    """Without a change, more random demonstrations are better than fewer: the learner uses them."""
    rows = table(directory, Table.DIFFERENCES)
    shift, share = distinct(rows, SHIFT)[0], distinct(rows, CONTAMINATION)[0]
    names = {row.text("method") for row in rows} | {row.text("other") for row in rows}
    fewer, *_, more = sorted((each for each in names if each.startswith("random_")), key=lambda each: int(each[7:]))
    return [above(f"{more} - {fewer}".replace("_", " "), _gain(rows, more, fewer, shift, share))]


CONTROLS = (
    Control("the learner answers better from more random demonstrations than from fewer", judge_use),
    Control("the loss of a learner that is trained is flat at the end of training", judge_flat),
)
CLAIMS = (
    Claim(
        "Perturbation helps where users have changed between validation and test.",
        said(Work.LRGD, "section 3.5 and figure 5", "adapt to potential shifts in the ground-truth result region"),
        "nDCG@10 on test of three paths perturbed by any other path minus that without perturbation: above 0 at the "
        "largest change, at every share of the pool that is another's",
        at_largest_change("gain of perturbation", "three"),
    ),
    Claim(
        "Perturbation helps more where users have changed between validation and test.",
        stronger(Work.LRGD, "section 3.5 and figure 5", "adapt to potential shifts in the ground-truth result region"),
        "nDCG@10 on test of three paths perturbed by any other path minus that without perturbation: at the largest "
        "change above that without one, at every share of the pool that is another's",
        judge_shift,
    ),
    Claim(
        "Where users have changed, perturbation does so by more than a longer prompt.",
        own("derived here from LRGD, section 3.5, in which a perturbed prompt is longer"),
        "at the largest change nDCG@10 of three perturbed paths is above that of one path with sets as long and as "
        "many evaluations, at every share of the pool that is another's",
        at_largest_change("perturbed - one long path", "long_more"),
    ),
    Claim(
        "Search is worth more where part of the pool is another person's.",
        own("derived here from LRGD, section 3.4: demonstrations differ in how good they are"),
        "nDCG@10 of one long path minus that of the whole pool, without a change: larger at the largest share of the "
        "pool that is another's than at none",
        judge_contamination,
    ),
)
