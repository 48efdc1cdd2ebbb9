"""Task diversity [Rav23]: the number of training functions from which on a decoder learns the class."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, Row, group_by, table
from experiments.functions.task_diversity.figures.task_diversity_run import LOOK, PLACES
from experiments.functions.task_diversity.results import SIZE, crossing
from lab.runs.directory import RunDirectory

CAPTION = (
    "Decoders trained on M functions. Left and middle: squared distance of their answers from the Bayes-optimal ones "
    "for their pool (dMMSE) and for all functions (ridge), divided by E f², mean over all numbers of examples, against "
    "M; on functions of the pool, and on new ones. Right: the M at which new functions are answered as near to ridge "
    "as to dMMSE, against the training step. Bands and bars: one standard deviation over seeds."
)
NEEDS_POINTS = True
LEAST = 1e-3  # the bottom of the axis: with one function a decoder is nearly exact


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=12, height=3.6)
    rows = table(directory, Table.CURVES)
    by_step = group_by(rows, Curves.STEP)
    last = [*by_step.values()][-1]
    for panel, (place, title) in zip(axes[0], PLACES.items(), strict=False):
        for name, (label, color, line) in LOOK.items():
            _against_size(panel, last, f"distance_{place}.{name}", label, color, line)
        panel.set(title=title, ylabel="squared distance / E f²", yscale="log")
        panel.set_ylim(max(panel.get_ylim()[0], LEAST), None)
        style.log(panel)
    _threshold(axes[0, 2], by_step)
    style.legend(*axes[0])
    return figure


def _against_size(panel: Axes, rows: list[Row], number: str, label: str, color: str, line: str) -> None:
    style.band(panel, rows, number, label, color, line, SIZE, least=0.1, marker="o", markersize=4)
    panel.set_xscale("log", base=2)
    panel.set_xlabel("M, functions in training")


def _threshold(panel: Axes, by_step: dict[float, list[Row]]) -> None:
    """Draw log2 M at the crossing against the step: mean and spread over the seeds that have a crossing."""
    points = []
    for step, rows in [*by_step.items()][1:]:
        try:
            values = [value for value in crossing(rows).by_seed.values() if math.isfinite(value)]
        except NotMeasured:
            continue
        if values:
            points.append((step, np.mean(values), np.std(values, ddof=1) if len(values) > 1 else 0.0))
    if points:
        counts, means, spreads = zip(*points, strict=True)
        panel.errorbar(counts, means, spreads, fmt="o-", color="#000000", markersize=4, capsize=2)
    panel.set(title="threshold", xlabel="training step", ylabel="log2 M at the crossing")
