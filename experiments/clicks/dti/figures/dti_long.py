"""Trained until losses are flat: do prompts of many targets still lose AUC to sliding windows [DTI]?"""

from matplotlib.figure import Figure

from analysis.figures import style
from experiments.clicks.dti.drawing import draw_along, draw_ends
from experiments.clicks.dti.results.schemes import LONG
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: Bayes-optimal AUC from a window minus AUC on sliding windows, on the same users, against the targets that a "
    "model has seen, mean over seeds. Right: AUC at the end minus the Bayes-optimal one from a window, within each "
    "seed: on sliding windows (filled) and on prompts as in training (open), bars are two standard errors. Parts may "
    "have different numbers of seeds."
)
NEEDS_POINTS = True
CLAIMS = LONG


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    curves, ends = axes[0]
    draw_along(curves, directory)
    draw_ends(ends, directory)
    style.legend(curves)
    return figure
