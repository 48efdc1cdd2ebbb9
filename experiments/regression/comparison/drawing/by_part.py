"""Losses and alignment with gradient descent against the training step: one line per part of a sweep of comparisons."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.labels import METRICS
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Table
from analysis.tables.select import Row, group_by, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Top: the loss of the trained Transformer, and how far it is from that of one step of gradient descent at the best "
    "rate, relative to it. Below: how its predictions align with that step. Each against the training step, one line "
    "per kind of layer; all are trained on the same episodes of each seed."
)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9")
LINES = ("-", "--", "-.", ":", "-")


def draw(directory: RunDirectory, labels: Mapping[str, str], each_seed: bool = False) -> Figure:
    """Return the figure.

    Args:
        labels: {part: label}, in the order of the legend; parts that were not run are left out.
        each_seed: draw one thin line per seed and not the mean with its band, for seeds that end at several losses.
    """
    line_of = _seeds if each_seed else style.band
    curves = group_by(table(directory, Table.CURVES), "part")
    present = {part: label for part, label in labels.items() if part in curves}
    figure, axes = style.panels(2, 2, width=9, height=6.4)
    losses, relative, cosine, distance = axes.flat
    label, color, line = style.LEARNERS[GD]
    style.band(losses, next(iter(curves.values())), f"loss.{GD}", label, color, line, **style.WIDE)
    for (part, name), color, line in zip(present.items(), COLOURS, LINES, strict=False):
        rows = [
            Row(row | {"excess": row.number("loss.transformer") / row.number(f"loss.{GD}") - 1}) for row in curves[part]
        ]
        for panel, number in (
            (losses, "loss.transformer"),
            (relative, "excess"),
            (cosine, f"{GD}.sensitivity_cosine"),
            (distance, f"{GD}.prediction_l2"),
        ):
            line_of(panel, rows, number, name, color, line)
    _name(losses, "loss", "loss, 1/2 squared error")
    _name(relative, "loss / that of gradient descent - 1", "relative difference of losses")
    relative.axhline(0, color="#999999", linewidth=0.8)
    relative.set_yscale("symlog", linthresh=0.01)
    for panel, metric in ((cosine, Metric.COSINE), (distance, Metric.PREDICTION_L2)):
        _name(panel, f"with gradient descent: {METRICS[metric][0]}", METRICS[metric][0])
        style.limit(panel, metric)
    style.legend(losses)
    return figure


def _seeds(panel: Axes, rows: list[Row], number: str, label: str, color: str, line: str) -> None:
    for i, curve in enumerate(group_by(rows, Curves.SEED).values()):
        x, y = ([row[key] for row in curve] for key in (Curves.STEP, number))
        panel.plot(x, y, line, color=color, linewidth=0.9, label=label if i == 0 else None)


def _name(panel: Axes, title: str, unit: str) -> None:
    panel.set(title=title, xlabel="training step", ylabel=unit)
