"""Any sweep of comparisons: the loss, and the alignment with the reference, against the setting with the most values.

There is one column of panels per combination of the other settings' values, up to six of them.
"""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.axes import scale, series
from analysis.metrics.columns import Metric
from analysis.tables.columns import Points, Table
from analysis.tables.select import finished, table
from experiments.regression.comparison.drawing import panels
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses, and the trained Transformer's alignment with its reference, against a setting. Points that differ in "
    "their seeds alone: each point, their mean, and a band of one standard deviation over them."
)
NEEDS_POINTS = True
BANDS = True

COLUMNS = 6


def draw(directory: RunDirectory) -> Figure:
    references = {row.text(Points.REFERENCE) for row in finished(table(directory, Table.POINTS))}
    reference = references.pop() if len(references) == 1 else "gradient_descent"
    axis, columns = series(directory)
    first = columns[:COLUMNS]
    figure, axes = style.panels(3, len(first), width=max(4.0 * len(first), 5.5), height=8)
    for column, losses, cosine, distance in zip(first, *axes, strict=True):
        for name in style.LEARNERS:
            if f"loss.{name}" in column.rows[0]:
                label, color, dashes = style.LEARNERS[name]
                wide = style.WIDE if name in style.REFERENCES and not column.repeats else {}
                error = {"error": f"loss.{name}.spread"}
                column.draw(losses, f"loss.{name}", label, color, dashes, **error, **wide)
        losses.set_yscale("log")
        losses.set(title=column.place, ylabel="loss, 1/2 squared error")
        panels.final_metrics(cosine, column, [Metric.COSINE], reference)
        panels.final_metrics(distance, column, [Metric.PREDICTION_L2, Metric.SENSITIVITY_L2], reference)
        cosine.set_ylabel(f"cosine of sensitivities with\n{style.LEARNERS[reference][0]}")
        distance.set_ylabel(f"L2 difference from\n{style.LEARNERS[reference][0]}")
        for panel in (losses, cosine, distance):
            panel.set_xlabel(axis)
            scale(panel, column.x)
    for row in axes:  # what is compared from column to column has one scale
        style.one_scale(row)
    for panel in axes[0]:
        style.log(panel)
    style.legend(*axes[:, 0])
    if len(columns) > COLUMNS:
        figure.suptitle(f"the first {COLUMNS} of {len(columns)} combinations; all are in points.csv")
    return figure
