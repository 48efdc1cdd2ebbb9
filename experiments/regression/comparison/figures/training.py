"""The figure of one run: losses, and alignment with gradient descent, against the training step.

If the Transformer has learned features there are two references with one line each: gradient descent on features that
are learned for it, and gradient descent on the Transformer's own features.
"""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.metrics.columns import Metric
from analysis.tables.columns import Table
from analysis.tables.select import table
from experiments.regression.comparison.drawing import panels
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses, and the trained Transformer's alignment with gradient descent, against the training step. The second "
    "panel shows how close losses are that coincide in the first."
)
BANDS = True

REFERENCES = ("learned_descent", "own_descent")  # of learned features


def draw(directory: RunDirectory) -> Figure:
    columns = table(directory, Table.CURVES)[0]
    references = [name for name in REFERENCES if f"{name}.prediction_l2" in columns] or ["gradient_descent"]
    figure, axes = style.panels(2, 2, width=9, height=6)
    losses, excess, cosine, distance = axes.flat
    panels.losses(losses, directory)
    losses.set_title("loss")
    panels.excess(excess, directory, references[0])
    panels.metric(cosine, directory, Metric.COSINE, references)
    cosine.set_title("cosine of predictions' sensitivities to the query")
    if len(references) == 1:
        panels.distances(distance, directory, *references)
    else:  # that of sensitivities is in curves.csv
        panels.metric(distance, directory, Metric.PREDICTION_L2, references)
    distance.set_title("differences" if len(references) == 1 else "predictions: difference")
    style.legend(*axes.flat)
    return figure
