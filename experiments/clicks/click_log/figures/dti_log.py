"""Ways of training on a real log beside sliding windows: AUC, its difference from theirs, the gap, and the time."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.estimates import Estimate
from analysis.tables.columns import Table
from analysis.tables.select import rows_where, table
from experiments.clicks.click_log import beside
from experiments.clicks.tables import SLIDING, STREAMING, Spent, Users
from lab.runs.directory import RunDirectory

CAPTION = (
    "By the number of targets of a training prompt, mean over seeds. AUC is on sliding windows of the test targets; "
    "lines: the item's mean, a logistic regression on the item and the share of clicks before it, and boosted trees on "
    "the same. Second: AUC minus that of sliding windows, on the same users; bars are two standard errors over users "
    "and seeds. Third: AUC on prompts as in training minus that on sliding windows, of the same decoder. Right: "
    "milliseconds of the processor that a training target takes."
)
NEEDS_POINTS = True
CLAIMS = beside.TABLE_1
COLOURS = {
    "sliding": "#000000",
    "naive": "#D55E00",
    "dti": "#0072B2",
    "split": "#009E73",
    "local": "#CC79A7",
}
DASHES = {"item": ":", "logistic": "--", "boosted": "-."}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 4, width=13, height=3.8)
    levels, gains, gaps, times = axes[0]
    _lines(levels, directory, lambda part: beside.measured(directory, part), bars=False)
    for name, dashes in DASHES.items():
        level = beside.measured(directory, SLIDING, answers=name).mean
        levels.axhline(level, color="#777777", linestyle=dashes, label=beside.BASELINES[name])
    levels.legend(levels.get_lines()[-len(DASHES) :], [beside.BASELINES[name] for name in DASHES], loc="best")
    reference = beside.measured(directory, SLIDING)
    _lines(gains, directory, lambda part: beside.measured(directory, part) - reference, left_out=SLIDING)
    _lines(gaps, directory, lambda part: _gap(directory, part), left_out=SLIDING)
    _lines(times, directory, lambda part: _per_target(directory, part), bars=False)
    for panel in (gains, gaps):
        panel.axhline(0, color="#999999", linewidth=0.8)
    levels.set(ylabel=f"AUC, {beside.users(directory).number(Users.TEST):g} users")
    gains.set(ylabel="AUC - sliding window's")
    gaps.set(ylabel="AUC, as trained - sliding")
    times.set(ylabel="ms of the processor per target")
    style.log(times)
    for panel in axes[0]:
        panel.set(xlabel="targets of a prompt")
        panel.margins(x=0.1)
    style.legend(*axes[0])
    return figure


def _gap(directory: RunDirectory, part: str) -> Estimate:
    return beside.measured(directory, part, answers=STREAMING) - beside.measured(directory, part)


def _per_target(directory: RunDirectory, part: str) -> Estimate:
    (row,) = rows_where(table(directory, Table.SPENT), {beside.PART: part})
    return Estimate({0: row.number(Spent.MILLISECONDS) / row.number(Spent.PER_STEP)}, exact=True)


def _lines(
    panel: Axes, directory: RunDirectory, number_of: Callable[[str], Estimate], bars: bool = True, left_out: str = ""
) -> None:
    """Draw one line per way of training, a little apart from one another."""
    ways_drawn = [way for way in beside.ways(directory) if way != left_out]
    for place, way in enumerate(ways_drawn):
        by_count = {count: number_of(part) for count, part in beside.parts_of(directory, way).items()}
        counts = np.array([*by_count]) + (0.8 * (place - (len(ways_drawn) - 1) / 2) if bars else 0)
        errors = [2 * np.nan_to_num(each.stderr) if bars else 0.0 for each in by_count.values()]
        means = [each.mean for each in by_count.values()]
        panel.errorbar(counts, means, errors, fmt="-o", color=COLOURS[way], label=beside.WAYS[way], capsize=2)
