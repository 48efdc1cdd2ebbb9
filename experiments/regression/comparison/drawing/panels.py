"""Panels that several figures have; each function draws a run's tables, or rows of points.csv, into one panel."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes

from analysis.figures import style
from analysis.figures.axes import Series
from analysis.figures.labels import METRICS
from analysis.metrics.columns import Metric
from analysis.tables.columns import Layers, Statistic, Table
from analysis.tables.select import Row, table
from lab.runs.directory import RunDirectory


def losses(axes: Axes, directory: RunDirectory) -> None:
    """Draw the loss of every learner, and of the best single step in theory, against the training step.

    The references are wide and pale, so that lines on top of them stay visible.
    """
    rows = table(directory, Table.CURVES)
    for name, (label, color, line) in style.LEARNERS.items():
        if f"loss.{name}" in rows[0]:
            options = style.WIDE if name in style.REFERENCES else {}
            style.band(axes, rows, f"loss.{name}", label, color, line, **options)
    if oracle := directory.read_summary().get("oracle"):
        axes.axhline(oracle["loss"], color="#999999", linewidth=0.8, label="best single step, in theory")
    highest = max(row.number(f"loss.{name}") for row in rows for name in ("gradient_descent", "transformer"))
    axes.set_ylim(0, 1.1 * highest)
    axes.set(xlabel="training step", ylabel="loss, 1/2 squared error")


def excess(axes: Axes, directory: RunDirectory, reference: str) -> None:
    """Draw the losses' differences from the reference's, relative to it, against the training step."""
    rows = table(directory, Table.CURVES)

    def excess_of(row: Row, learner: str) -> float:
        return row.number(f"loss.{learner}") / row.number(f"loss.{reference}") - 1

    for name in ("transformer", "interpolated", *own(rows[0], reference)):
        if f"loss.{name}" in rows[0]:
            label, color, line = style.LEARNERS[name]
            relative = [Row(row | {"excess": excess_of(row, name)}) for row in rows]
            style.band(axes, relative, "excess", label, color, line)
    axes.axhline(0, color="#999999", linewidth=0.8)
    # Limits without the interpolated Transformer, which may be far off at first.
    limiting = ("transformer", *own(rows[0], reference))
    trained = [excess_of(row, name) for row in rows for name in limiting]
    finite = [value for value in trained if np.isfinite(value)] or [0.0]
    axes.set_yscale("symlog", linthresh=0.01)
    axes.set_ylim(min(-0.02, 1.5 * min(finite)), max(0.02, 1.5 * max(finite)))
    axes.set(xlabel="training step", ylabel="relative difference of losses")
    axes.set_title(f"loss / that of {style.LEARNERS[reference][0]} - 1")


def metric(axes: Axes, directory: RunDirectory, name: str, references: Sequence[str]) -> None:
    """Draw one metric of the trained Transformer's alignment against the training step, one line per reference."""
    rows = table(directory, Table.CURVES)
    for reference in references:
        label, color, line = style.LEARNERS[reference]
        style.band(axes, rows, f"{reference}.{name}", f"with {label}", color, line)
    _own(axes, rows, references[0], name)
    axes.set(xlabel="training step", ylabel=METRICS[name][0])
    style.limit(axes, name)


def distances(axes: Axes, directory: RunDirectory, reference: str) -> None:
    """Draw the L2 differences of predictions and of sensitivities from one reference against the training step."""
    rows = table(directory, Table.CURVES)
    for name in (Metric.PREDICTION_L2, Metric.SENSITIVITY_L2):
        label, color, line = METRICS[name]
        style.band(axes, rows, f"{reference}.{name}", label, color, line)
    _own(axes, rows, reference, Metric.PREDICTION_L2)
    axes.set(xlabel="training step", ylabel="L2 difference")
    axes.set_ylim(bottom=0)


def own(columns: Iterable[str], reference: str) -> list[str]:
    """Return the learners of the user's own whose alignment with a reference is among the columns of a table."""
    there = {*columns}
    return [name for name in style.LEARNERS if f"{name}.{reference}.{Metric.PREDICTION_L2}" in there]


def _own(axes: Axes, rows: list[Row], reference: str, metric: str) -> None:
    """Draw a metric of the alignment of the user's own learners with a reference against the training step."""
    for name in own(rows[0], reference):
        label, color, line = style.LEARNERS[name]
        style.band(axes, rows, f"{name}.{reference}.{metric}", f"{label}: {METRICS[metric][0]}", color, line)


def final_metrics(axes: Axes, line: Series, names: Sequence[str], reference: str) -> None:
    """Draw metrics of alignment with the reference against the setting of a series of points; the first one of the
    user's own learners, too."""
    for name in names:
        label, color, dashes = METRICS[name]
        line.draw(axes, f"{reference}.{name}", label, color, dashes)
    for learner in own(line.rows[0], reference):
        label, color, dashes = style.LEARNERS[learner]
        described = f"{label}: {METRICS[names[0]][0]}"
        line.draw(axes, f"{learner}.{reference}.{names[0]}", described, color, dashes)
    style.limit(axes, names[0])


def layers(axes: Axes, directory: RunDirectory) -> None:
    """Draw the loss of each learner's read-out against the layer or step; bars of two standard errors."""
    rows = table(directory, Table.LAYERS)
    for name, (label, color, line) in style.LEARNERS.items():
        readouts = [row for row in rows if row[Layers.LEARNER] == name]
        if readouts:
            x, mean, error = (
                [row[key] for row in readouts] for key in (Layers.LAYER, Statistic.MEAN, Statistic.STDERR)
            )
            axes.errorbar(x, mean, 2 * np.array(error), fmt=line, marker="o", color=color, label=label, capsize=2)
    axes.set(xlabel="layer, or step of gradient descent", ylabel="loss of the read-out", yscale="log")
    axes.set_xticks(sorted({row[Layers.LAYER] for row in rows}))
