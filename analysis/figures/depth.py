"""Depth, one row per part: the loss of each layer beside gradient descent's steps; alignment with GD and GD++."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses by layer (bars: two standard errors), and the trained Transformer's alignment with gradient "
    "descent and GD++ against the training step."
)
NEEDS_POINTS = True
BANDS = True


def draw(directory: RunDirectory) -> Figure:
    parts = directory.points()
    if not parts:
        raise NotMeasured("no point is done")
    figure, axes = style.panels(len(parts), 3, width=12, height=3.2 * len(parts))
    for (name, part), (left, middle, right) in zip(parts.items(), axes, strict=True):
        style.layers(left, part)
        left.set_title(f"{name}: loss by layer")
        for panel, other, label in ((middle, "gradient_descent", "gradient descent"), (right, "gd_plus_plus", "GD++")):
            cosine = style.alignment(panel, part, other)
            panel.set_title(f"{name}: alignment with {label}")
    style.legend(left, right, cosine)
    return figure
