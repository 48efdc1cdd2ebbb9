"""The number of functions from which on a decoder learns their class, by the number of inputs [Rav23]."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work
from experiments.functions.task_diversity import results
from experiments.functions.task_diversity.crossing import by_inputs, last_of_size, ratio, sizes, thresholds
from experiments.functions.task_diversity.results import CONTROLS as CONTROLS
from lab.runs.directory import RunDirectory

CAPTION = (
    "Decoders trained on M functions of d inputs, on new functions, with contexts of up to 2 d examples. Left: log2 of "
    "the squared distance from dMMSE over that from ridge regression against M; above 0 ridge is nearer. Right: the M "
    "at which they are equally near, the threshold, against d, at half of the steps and at the end; dots are seeds, "
    "lines go through their means. Orange: the source's threshold (d = 8, 8 layers of width 128, 500,000 steps of 256)."
)
NEEDS_POINTS = True
CLAIMS = results.CLAIMS_BY_INPUTS
COLOURS = ("#88CCEE", "#44AA99", "#117733", "#332288", "#AA4499", "#882255")
HALF, END = 0.5, 1.0
TIMES = {HALF: ("half of the steps", "#999999"), END: ("end of training", "#000000")}
SOURCE_INPUTS, SOURCE_THRESHOLD = 8, (14, 15)  # of Raventos et al.: log2 M lies between the two


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=9.5, height=3.8)
    left, right = axes[0]
    _against_size(left, directory)
    for share, (label, color) in TIMES.items():
        _against_inputs(right, directory, share, label, color)
    _source(right)
    right.set(
        xlabel="d, inputs of a function", ylabel="threshold, log2 M", xticks=[*{*by_inputs(directory), SOURCE_INPUTS}]
    )
    left.set_title("new functions")
    right.set_title("threshold")
    style.legend(left, right)
    return figure


def _against_size(panel: Axes, directory: RunDirectory) -> None:
    for (inputs, rows), color in zip(by_inputs(directory).items(), COLOURS, strict=False):
        values = [[*ratio(last_of_size(rows, size), "fresh").by_seed.values()] for size in sizes(rows)]
        means = np.array([np.mean(each) for each in values])
        spreads = np.array([np.std(each, ddof=1) if len(each) > 1 else 0.0 for each in values])
        panel.errorbar(
            sizes(rows), means, spreads, fmt="-o", markersize=4, capsize=2, color=color, label=f"d = {inputs}"
        )
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set_xscale("log", base=2)
    panel.set(xlabel="M, functions in training", ylabel="log2, from dMMSE / from ridge")


def _against_inputs(panel: Axes, directory: RunDirectory, share: float, label: str, color: str) -> None:
    points = [
        (inputs, value)
        for inputs, each in thresholds(directory, share).items()
        for value in each.by_seed.values()
        if math.isfinite(value)
    ]
    if not points:
        return
    panel.plot(*zip(*points, strict=True), "o", color=color, markersize=4, alpha=0.5)
    means = {inputs: np.mean([value for where, value in points if where == inputs]) for inputs, _ in points}
    panel.plot([*means], [*means.values()], "-", color=color, label=label)


def _source(panel: Axes) -> None:
    """Draw the threshold of the source, which lies between two sizes of its pools."""
    panel.plot([SOURCE_INPUTS] * 2, SOURCE_THRESHOLD, "-", color="#D55E00", linewidth=4, label=str(Work.RAV23))
