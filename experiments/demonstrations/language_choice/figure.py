"""Choosing a set of demonstrations for a language model: Effect_D [LRGD], accuracy and log-loss on validation rows."""

from matplotlib.figure import Figure

from analysis.figures import style
from experiments.demonstrations.demonstration_choice.figure import draw_choice
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over draws of sets and validation rows; bars and bands are two standard errors over draws and test rows. "
    "Left: accuracy on the test rows with the set of demonstrations that is the best by each score, against the number "
    "of validation rows; below, a random set; above, the set that is the best on the test rows themselves. Middle: "
    "Spearman's correlation, over the sets of a draw, of a score with test accuracy. Right: Effect_D of the set that "
    "it chooses, on the validation and on the test rows."
)


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=12, height=3.8)
    draw_choice(directory, axes[0])
    style.legend(*axes[0])
    return figure
