"""A grid of panels against the training step: a row for each value of one setting, a line for each of another."""

from collections.abc import Callable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row, groups
from lab.runs.directory import RunDirectory

METRICS = {
    "loss_difference": "loss difference",
    "sensitivity_cosine": "cosine of sensitivities",
    "sensitivity_l2": "model difference, L2",
    "prediction_l2": "prediction difference, L2",
}
UNITS = {
    "loss_difference": "1/2 squared error",
    "sensitivity_cosine": "cosine",
    "sensitivity_l2": "units of y per unit of x",
    "prediction_l2": "units of y",
}


def draw(
    directory: RunDirectory,
    row: str,
    line: str,
    panels: Mapping[str, str],
    line_style: Callable[[int, float | str], tuple[str, object]],
) -> Figure:
    """`panels`: the columns of curves.csv, and their titles. `line_style(i, value)`: a line's label and colour."""
    rows = groups(directory.read_table("curves"), row)
    figure, axes = style.panels(len(rows), len(panels), width=3.25 * len(panels), height=3 * len(rows) + 0.4)
    for (name, of), across in zip(rows.items(), axes, strict=True):
        for panel, (metric, title) in zip(across, panels.items(), strict=True):
            _panel(panel, groups(of, line), metric, line_style)
            panel.set_title(f"{name}: {title}" if name else title)
    style.legend(axes[0][0])
    return figure


def _panel(panel: Axes, lines: dict[float | str, list[Row]], metric: str, line_style: Callable) -> None:
    for i, (value, of) in enumerate(lines.items()):
        label, color = line_style(i, value)
        style.band(panel, [row for row in of if row["step"] or "train_loss" not in metric], metric, label, color, "-")
    panel.set(xlabel="training step", ylabel=UNITS.get(metric.split(".")[1], "1/2 squared error"))
    if metric.endswith("loss_difference"):
        panel.axhline(0, color="#999999", linewidth=0.8)
        panel.set_yscale("symlog", linthresh=0.01)
    elif metric.endswith("sensitivity_cosine"):
        panel.set_ylim(top=1.02)
    else:
        panel.set_ylim(bottom=0)
