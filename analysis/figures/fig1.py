"""Figure 1 of RAG-GD: a column a task; losses above, alignment with gradient descent below, against the step."""

from matplotlib.figure import Figure

from analysis.figures import style
from lab.runs.directory import RunDirectory

CAPTION = (
    "A column a task: losses above, the trained Transformer's alignment with gradient descent below, against "
    "the training step."
)


def draw(directory: RunDirectory) -> Figure:
    parts = directory.points()
    figure, axes = style.panels(2, len(parts), width=4 * len(parts), height=6)
    for (name, part), above, below in zip(parts.items(), *axes, strict=True):
        style.losses(above, part)
        cosine = style.alignment(below, part)
        above.set_title(name)
    style.legend(above, below, cosine)
    return figure
