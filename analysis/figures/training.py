"""The figure of one run: losses, and alignment with gradient descent, against the training step."""

from matplotlib.figure import Figure

from analysis.figures import style
from lab.runs.directory import RunDirectory

CAPTION = "Losses, and the trained Transformer's alignment with gradient descent, against the training step."


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=9, height=3.6)
    left, right = axes[0]
    style.losses(left, directory)
    cosine = style.alignment(right, directory)
    left.set_title(f"{directory.read_summary()['experiment']}: loss")
    right.set_title("alignment with gradient descent")
    style.legend(left, right, cosine)
    return figure
