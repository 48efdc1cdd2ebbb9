"""One run over learned features: losses, and the trained Transformer's alignment with gradient descent on features that
are learned for it, and on the Transformer's own."""

from matplotlib.figure import Figure

from analysis.figures import style
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses on test rows, and the trained Transformer's alignment with gradient descent on learned features, "
    "against the training step."
)


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=13, height=3.8)
    left, middle, right = axes[0]
    style.losses(left, directory)
    left.set_title(f"{directory.read_summary()['experiment']}: loss on test rows")
    titles = {
        "learned_descent": "with descent on features learned for it",
        "own_descent": "with descent on its own features",
    }
    for panel, (other, title) in zip((middle, right), titles.items(), strict=True):
        cosine = style.alignment(panel, directory, other)
        panel.set_title(f"alignment {title}")
    style.legend(left, middle, right, cosine)
    return figure
