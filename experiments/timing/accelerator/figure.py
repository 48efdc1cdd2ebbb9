"""A device: errors of what it computes, in units of rounding, and the shares of its speed that trainings use."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import rounds, style
from analysis.results.timing import share_of_bytes, share_of_flops
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.timing.accelerator.results import ALLOWED, CHECK, CHECKS, ERROR, PRECISION, UNIT, Check, Program
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: relative errors of what the device computes, in units of rounding of the precision of matrix products "
    "(2^-24, 2^-11, 2^-8), beside float64 or beside itself; grey: the bound; what has no error is drawn at the left "
    "edge. Right: operations per second over those of the fastest product of matrices, and bytes per second over the "
    f"highest traffic. {rounds.CAPTION}"
)
COLOURS = {"float32": "#0072B2", "tensorfloat32": "#E69F00", "bfloat16": "#D55E00"}
EDGE = 1e-2


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    _errors(axes[0, 0], table(directory, CHECKS))
    series = {
        column.label: (color, [column[name].numbers(directory)[""] for name in Program])
        for column, color in ((share_of_flops, "#0072B2"), (share_of_bytes, "#56B4E9"))
    }
    rounds.bars(axes[0, 1], [name.replace("_", " ") for name in Program], series)
    axes[0, 1].set(xlabel="share", title="times")
    style.legend(*axes[0])
    return figure


def _errors(panel: Axes, rows: list[Row]) -> None:
    names = [each.value for each in Check]
    for precision in distinct(rows, PRECISION):
        chosen = rows_where(rows, {PRECISION: precision})
        values = [max(row.number(ERROR) / row.number(UNIT), EDGE) for row in chosen]
        panel.plot(values, [names.index(row.text(CHECK)) for row in chosen], "o", color=COLOURS[precision],
                   label=precision)  # fmt: skip
    panel.axvline(ALLOWED, color="#999999", linewidth=0.8)
    panel.set(xscale="log", xlabel="error / unit of rounding", title="errors", xlim=(EDGE / 2, 4 * ALLOWED))
    panel.set(yticks=range(len(names)), yticklabels=[name.replace("_", " ") for name in names])
    panel.invert_yaxis()
