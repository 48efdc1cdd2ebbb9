"""Depth, one row per part: the loss of each layer beside gradient descent's steps; alignment with GD and GD++."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.controls import flat
from analysis.figures.labels import METRICS, part_in_words
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.results.declared import claim
from analysis.tables.select import NotMeasured
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import panels
from experiments.regression.comparison.results import cosine, loss_difference
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses by layer (bars: two standard errors), and the trained Transformer's alignment with gradient "
    "descent and GD++ against the training step."
)
NEEDS_POINTS = True
BANDS = True
CONTROLS = reaches_descent(), flat(LOSS)


def draw(directory: RunDirectory) -> Figure:
    parts = directory.points()
    if not parts:
        raise NotMeasured("no point is done")
    figure, axes = style.panels(len(parts), 3, width=12, height=3.2 * len(parts))
    for (name, part), (left, middle, right) in zip(parts.items(), axes, strict=True):
        panels.layers(left, part)
        left.set_title(f"{part_in_words(name)}: loss by layer")
        for panel, metric in ((middle, Metric.COSINE), (right, Metric.PREDICTION_L2)):
            panels.metric(panel, part, metric, (GD, "gd_plus_plus"))
            panel.set_title(f"{part_in_words(name)}: {METRICS[metric][0]}")
    style.legend(left, right)
    return figure


CLAIMS = (
    claim(
        "A layer that is applied several times surpasses as many steps of gradient descent, and aligns better with "
        "GD++, which corrects for curvature.",
        said(Work.VO23, "section 3, on several layers, and figures 3 and 7"),
        (cosine.along("part", "gd_plus_plus") - cosine.along("part", GD) > 0) & (loss_difference.along("part", GD) < 0),
    ),
)
