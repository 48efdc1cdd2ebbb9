"""The speed of training, one panel per setting, below the rates that the measured ceilings would allow."""

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from analysis.figures import style
from analysis.tables.select import NotMeasured, numbers
from experiments.timing.speed.results import AXES, SHARES, along, rate, speed_up
from lab.runs.directory import RunDirectory

CAPTION = (
    "Training episodes of all models per second against one setting at a time, below what the measured ceilings allow."
)
NEEDS_POINTS = True
LINES = {  # number of points.csv by which the rate is divided: label, colour, line
    SHARES[0].name: ("all operations of the device", "#D55E00", "-"),
    SHARES[1].name: ("all bytes of its memory", "#009E73", "--"),
    SHARES[2].name: ("its random numbers alone", "#CC79A7", "-."),
    speed_up.name: ("plain forward pass", "#999999", ":o"),
}


def draw(directory: RunDirectory) -> Figure:
    groups = along(directory)
    if not groups:
        raise NotMeasured("no two points differ in one setting alone")
    figure, axes = style.panels(1, len(groups), width=max(3.2 * len(groups), 6), height=3.8)
    for (axis, rows), panel in zip(groups.items(), axes[0], strict=True):
        x = numbers(rows, axis)
        for name, (label, color, line) in LINES.items():
            y = [row.number(rate.name) / row.number(name) for row in rows]
            panel.plot(x, y, line, color=color, linewidth=0.8, markersize=3, label=label)
        panel.plot(x, numbers(rows, rate.name), "-o", color="#0072B2", markersize=4, label="training")
        panel.set(xlabel=AXES[axis], ylabel=rate.label, xscale="log", yscale="log")
        panel.xaxis.set(major_locator=FixedLocator(x), minor_locator=NullLocator())
        panel.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:g}" if value < 1e4 else f"{value / 1e3:g}k")
        )
    style.legend(axes[0][0])
    return figure
