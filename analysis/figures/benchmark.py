"""The speed of training, a panel an axis, below the rates that the measured ceilings would allow."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from analysis.figures import style
from analysis.tables.select import Row, at, by
from lab.runs.directory import RunDirectory

CAPTION = "Training steps per second against one setting at a time, below what the measured ceilings allow."

AXES = {  # the column that is drawn, what it is, and which rate
    "num_layers": ("layers", "layers", "steps_per_second"),
    "batch_size": ("batch", "episodes in a batch", "steps_per_second"),
    "num_context": ("context", "examples in the context", "steps_per_second"),
    "input_dim": ("width", "width of a token", "steps_per_second"),
    "population": ("population", "models trained together", "models_steps_per_second"),
}
RATES = {"steps_per_second": "steps per second", "models_steps_per_second": "models x steps per second"}
CEILINGS = {
    "flops": ("all operations of the device", "#D55E00", "-"),
    "bytes": ("all bytes of its memory", "#009E73", "--"),
    "random": ("its random numbers alone", "#CC79A7", "-."),
}


def draw(directory: RunDirectory) -> Figure:
    rows = directory.read_table("benchmark")
    shown = [axis for axis in AXES if any(row["axis"] == axis for row in rows)]
    figure, axes = style.panels(1, len(shown), width=max(3.2 * len(shown), 6), height=3.8)
    for axis, panel in zip(shown, axes[0], strict=True):
        column, label, rate = AXES[axis]
        of = by(at(rows, axis=axis), column)
        _panel(panel, of, [row[column] for row in of], rate)
        panel.set(xlabel=label, ylabel=RATES[rate], xscale="log", yscale="log")
        panel.xaxis.set(major_locator=FixedLocator([row[column] for row in of]), minor_locator=NullLocator())
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        if of[0]["batch"] != of[-1]["batch"] and axis != "batch_size":
            panel.set_title(f"batches of {of[0]['batch']:g} to {of[-1]['batch']:g}", fontsize="medium")
    style.legend(axes[0][0])
    return figure


def _panel(panel: Axes, rows: list[Row], x: list[float], rate: str) -> None:
    """A ceiling's rate is the achieved one over its share of it, the plain forward pass's that over the speed-up."""
    for name, (label, color, line) in CEILINGS.items():
        y = [row[rate] / row[f"share_of_{name}"] for row in rows]
        panel.plot(x, y, line, color=color, linewidth=0.8, label=label)
    panel.plot(
        x,
        [row[rate] / row["speed_up"] for row in rows],
        ":o",
        color="#999999",
        markersize=3,
        label="plain forward pass",
    )
    panel.plot(x, [row[rate] for row in rows], "-o", color="#0072B2", markersize=4, label="training")
