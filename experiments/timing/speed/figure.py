"""The speed of training, one panel per setting, below the rates that the measured ceilings would allow.

The points differ in one setting at a time: the centre of all points is the most frequent value of each setting.
"""

import collections

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, below
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, Row, finished, numbers, sort_by, table
from experiments.timing.speed.columns import SHARES, Rates
from lab.runs.directory import RunDirectory

CAPTION = "Training steps per second against one setting at a time, below what the measured ceilings allow."
NEEDS_POINTS = True

AXES: dict[str, tuple[str, Rates]] = {  # column of points.csv: label, and the rate that is drawn against it
    Rates.LAYERS: ("layers", Rates.STEPS),
    Rates.BATCH: ("episodes in a batch", Rates.STEPS),
    Rates.CONTEXT: ("examples in the context", Rates.STEPS),
    Rates.WIDTH: ("width of a token", Rates.STEPS),
    Rates.POPULATION: ("models trained together", Rates.MODELS_STEPS),
}
RATES = {Rates.STEPS: "steps per second", Rates.MODELS_STEPS: "models x steps per second"}
CEILINGS = {
    "flops": ("all operations of the device", "#D55E00", "-"),
    "bytes": ("all bytes of its memory", "#009E73", "--"),
    "random": ("its random numbers alone", "#CC79A7", "-."),
}
LONG = 100  # examples in the context; the slope is taken from this number on


def along(rows: list[Row]) -> dict[str, list[Row]]:
    """Return {setting: the centre and the points that differ from it in this setting alone}, sorted by the setting.

    Settings with one point are left out.

    A longer context may come with a smaller batch, where a batch would hold too many examples.
    """
    centre = {axis: collections.Counter(row[axis] for row in rows).most_common(1)[0][0] for axis in AXES}
    changed = [{axis for axis in AXES if row[axis] != centre[axis]} for row in rows]
    allowed = {axis: ({axis}, {axis, Rates.BATCH}) if axis == Rates.CONTEXT else ({axis},) for axis in AXES}
    groups = {
        axis: [row for row, others in zip(rows, changed, strict=True) if not others or others in allowed[axis]]
        for axis in AXES
    }
    return {axis: sort_by(group, axis) for axis, group in groups.items() if len(group) > 1}


def draw(directory: RunDirectory) -> Figure:
    groups = along(finished(table(directory, Table.POINTS)))
    if not groups:
        raise NotMeasured("no two points differ in one setting alone")
    figure, axes = style.panels(1, len(groups), width=max(3.2 * len(groups), 6), height=3.8)
    for (axis, rows), panel in zip(groups.items(), axes[0], strict=True):
        label, rate = AXES[axis]
        _panel(panel, rows, numbers(rows, axis), rate)
        panel.set(xlabel=label, ylabel=RATES[rate], xscale="log", yscale="log")
        panel.xaxis.set(major_locator=FixedLocator(numbers(rows, axis)), minor_locator=NullLocator())
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        if rows[0][Rates.BATCH] != rows[-1][Rates.BATCH] and axis != Rates.BATCH:
            panel.set_title(f"batches of {rows[0][Rates.BATCH]:g} to {rows[-1][Rates.BATCH]:g}", fontsize="medium")
    style.legend(axes[0][0])
    return figure


def _panel(panel: Axes, rows: list[Row], x: list[float], rate: str) -> None:
    """Draw rates against `x`: of training, of the plain forward pass, and those that each ceiling allows.

    A ceiling's rate is the achieved rate divided by the share of the ceiling that was achieved. The plain forward
    pass's rate is the achieved rate divided by the speed-up over it.
    """
    for name, (label, color, line) in CEILINGS.items():
        y = [row.number(rate) / row.number(SHARES[name]) for row in rows]
        panel.plot(x, y, line, color=color, linewidth=0.8, label=label)
    plain = [row.number(rate) / row.number(Rates.SPEED_UP) for row in rows]
    panel.plot(x, plain, ":o", color="#999999", markersize=3, label="plain forward pass")
    panel.plot(x, numbers(rows, rate), "-o", color="#0072B2", markersize=4, label="training")


def linear_in_context(directory: RunDirectory) -> list[Condition]:
    """Fit log(seconds per episode) by least squares; per episode, since long contexts come in smaller batches."""
    rows = along(finished(table(directory, Table.POINTS))).get(Rates.CONTEXT, [])
    rows = [row for row in rows if row.number(Rates.CONTEXT) >= LONG]
    if len(rows) < 2:
        raise NotMeasured(f"fewer than two contexts of at least {LONG} examples")
    context, rate = (np.log(numbers(rows, key)) for key in (Rates.CONTEXT, Rates.EPISODES))
    slope = float(np.polyfit(context, -rate, 1)[0])
    return [below("slope", exact(slope), 1.1)]


CLAIMS = (
    Claim(
        statement="An episode's seconds grow no faster than its context's length.",
        source=own("derived here from the count of operations of linear attention"),
        criterion="the slope of log seconds per episode against log length, beyond 100 examples, is below 1.1",
        judge=linear_in_context,
    ),
)
