"""Any sweep of comparisons: the loss, and the alignment with the reference, against the sweep's longest axis.

Each combination of the other axes' values is one column of panels, up to six of them.
"""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.axes import is_wide, series
from analysis.tables.select import finished, table
from lab.runs.directory import RunDirectory

CAPTION = "Losses, and the trained Transformer's alignment with its reference, against a setting."
NEEDS_POINTS = True
BANDS = True

COLUMNS = 6


def draw(directory: RunDirectory) -> Figure:
    references = {row["reference"] for row in finished(table(directory, "points"))}
    reference = references.pop() if len(references) == 1 else "gradient_descent"
    axis, columns = series(directory)
    kept = columns[:COLUMNS]
    figure, axes = style.panels(2, len(kept), width=max(4.0 * len(kept), 5.5), height=6)
    for column, above, below in zip(kept, *axes, strict=True):
        for name in style.LEARNERS:
            if f"loss.{name}" in column.rows[0]:
                losses = [row[f"loss.{name}"] for row in column.rows]
                spreads = [row.get(f"loss.{name}.spread", 0.0) for row in column.rows]
                style.line(above, name, column.x, losses, spreads, marker="o", markersize=3)
        style.log(above)
        above.set(title=column.place, ylabel="loss, 1/2 squared error", xlabel=axis)
        right = style.final_alignment(below, column.rows, column.x, reference)
        below.set_xlabel(axis)
        if is_wide(column.x):
            for panel in (above, below, right):
                panel.set_xscale("log")
    style.legend(above, below, right)
    if len(columns) > COLUMNS:
        figure.suptitle(f"the first {COLUMNS} of {len(columns)} combinations; all are in points.csv")
    return figure
