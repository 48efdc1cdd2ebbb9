"""The figure of one run: losses, and alignment with gradient descent, against the training step.

Where the Transformer has learned features there are two references, gradient descent on features that are learned for
it and gradient descent on the Transformer's own: one panel each.
"""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import table
from lab.runs.directory import RunDirectory

CAPTION = "Losses, and the trained Transformer's alignment with gradient descent, against the training step."
BANDS = True

REFERENCES = {  # of learned features, and the titles of their panels
    "learned_descent": "alignment with gradient descent\non features learned for it",
    "own_descent": "alignment with gradient descent\non the Transformer's features",
}


def draw(directory: RunDirectory) -> Figure:
    columns = table(directory, "curves")[0]
    titles = {name: title for name, title in REFERENCES.items() if f"{name}.prediction_l2" in columns}
    titles = titles or {"gradient_descent": "alignment with gradient descent"}
    figure, axes = style.panels(1, 1 + len(titles), width=4.5 * (1 + len(titles)), height=3.6)
    left, *others = axes[0]
    style.losses(left, directory)
    left.set_title(f"{directory.read_summary()['experiment']}: loss")
    for panel, (reference, title) in zip(others, titles.items(), strict=True):
        cosine = style.alignment(panel, directory, reference)
        panel.set_title(title)
    style.legend(left, *others, cosine)
    return figure
