"""One run of `online_stacks`: stacks of delta-rule layers beside passes and steps of GD++, on one task."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import table
from experiments.online.online_stacks.figure import CAPTION as CAPTION
from experiments.online.online_stacks.figure import lines
from experiments.online.online_stacks.results import STACKS
from lab.runs.directory import RunDirectory


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 1, width=5, height=3.6)
    lines(axes[0, 0], table(directory, STACKS))
    style.legend(axes[0, 0])
    return figure
