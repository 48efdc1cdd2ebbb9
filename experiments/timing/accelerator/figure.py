"""A device: errors of what it computes, in units of rounding, and the shares of its speed that trainings use."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.timing.accelerator.claims import CLAIMS as CLAIMS
from experiments.timing.accelerator.columns import Check, Checks, Program, Steps, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: relative errors of what the device computes, in units of rounding of the precision of matrix products "
    "(2^-24, 2^-11, 2^-8), beside float64 or beside itself; grey: the bound of 64; what has no error is drawn at the "
    "left edge. Right: operations per second over those of the fastest product of matrices at the same precision, and "
    "bytes per second over the highest traffic; medians over rounds, bars from the first to the third quartile."
)
COLOURS = {"float32": "#0072B2", "tensorfloat32": "#E69F00", "bfloat16": "#D55E00"}
BOUND, EDGE = 64.0, 1e-2
SHARES = {Steps.SHARE_OF_FLOPS: ("of the fastest product", 1.0), Steps.SHARE_OF_BYTES: ("of bandwidth", 0.45)}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    _errors(axes[0, 0], table(directory, Table.CHECKS))
    _shares(axes[0, 1], table(directory, Table.STEPS))
    style.legend(*axes[0])
    return figure


def _errors(panel: Axes, rows: list[Row]) -> None:
    names = [each.value for each in Check]
    for precision in distinct(rows, Checks.PRECISION):
        chosen = rows_where(rows, {Checks.PRECISION: precision})
        values = [max(row.number(Checks.ERROR) / row.number(Checks.UNIT), EDGE) for row in chosen]
        places = [names.index(row.text(Checks.CHECK)) for row in chosen]
        panel.plot(values, places, "o", color=COLOURS[precision], label=precision)
    panel.axvline(BOUND, color="#999999", linewidth=0.8)
    panel.set(xscale="log", xlabel="error / unit of rounding", title="errors", yticks=range(len(names)))
    panel.set(yticklabels=[name.replace("_", " ") for name in names], xlim=(EDGE / 2, 4 * BOUND))
    panel.invert_yaxis()


def _shares(panel: Axes, rows: list[Row]) -> None:
    programs = [each.value for each in Program]
    precisions = distinct(rows, Steps.PRECISION)
    height = 0.8 / (len(precisions) * len(SHARES))
    for number, (precision, column) in enumerate((one, other) for one in precisions for other in SHARES):
        label, alpha = SHARES[column]
        values = [
            numbers(rows_where(rows, {Steps.PROGRAM: name, Steps.PRECISION: precision}), column) for name in programs
        ]
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), axis=1)
        places = np.arange(len(programs)) + (number + 0.5) * height - 0.4
        panel.barh(places, middle, 0.9 * height, xerr=(middle - low, high - middle), color=COLOURS[precision],
                   alpha=alpha, label=f"{precision}, {label}")  # fmt: skip
    panel.set(xlabel="share", title="times", yticks=range(len(programs)))
    panel.set_yticklabels([name.replace("_", " ") for name in programs])
    panel.invert_yaxis()
