"""The learners under other test distributions than that of training, one panel per kind of shift."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Shift, Statistic, Table
from analysis.tables.select import NotMeasured, rows_where, table
from lab.runs.directory import RunDirectory

CAPTION = "Losses under other test distributions than that of training."
BANDS = True

AXES = {
    "alpha": "scale alpha of the inputs",
    "teacher": "factor of the teacher",
    "noise": "noise on the context's targets",
    "law": "input distribution",
    "num_context": "examples in the context",
}


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.SHIFT)
    drawn_shifts = [axis for axis in AXES if any(row[Shift.SHIFT] == axis for row in rows)]
    if not drawn_shifts:
        raise NotMeasured("shift.csv has none of the kinds of shift that are drawn")
    figure, axes = style.panels(1, len(drawn_shifts), width=3.4 * len(drawn_shifts), height=3.8)
    for axis, panel in zip(drawn_shifts, axes[0], strict=True):
        for name in style.LEARNERS:
            curve = [row for row in rows_where(rows, {Shift.SHIFT: axis}) if row[Shift.LEARNER] == name]
            if curve:
                x, means = ([row[key] for row in curve] for key in (Shift.VALUE, Statistic.MEAN))
                spreads = [row.get(Statistic.SPREAD, 0.0) for row in curve]
                style.line(panel, name, x, means, spreads, marker="o", markersize=3)
        panel.set(xlabel=AXES[axis], ylabel="loss, 1/2 squared error")
        style.log(panel)
    style.legend(axes[0][0])
    return figure
