"""Depth, one row per part: the loss of each layer beside gradient descent's steps; alignment with GD and GD++."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.learned import flat
from analysis.figures.measures import GD
from analysis.figures.words import METRICS, part_in_words
from analysis.metrics.columns import Metric
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import NotMeasured, group_by, rows_where, table
from experiments.regression.comparison.claims.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import panels
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


def surpasses_descent(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for part, rows in group_by(rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test"}), "part").items():
        descent, corrected = (rows_where(rows, {Seeds.LEARNER: name}) for name in (GD, "gd_plus_plus"))
        cosines = (estimate(group, Metric.COSINE) for group in (corrected, descent))
        conditions += [
            above(f"{part}: cosine with GD++ - with gradient descent", next(cosines) - next(cosines)),
            below(f"{part}: loss - gradient descent's", estimate(descent, Metric.LOSS_DIFFERENCE)),
        ]
    return conditions


CLAIMS = (
    Claim(
        statement="A layer that is applied several times surpasses as many steps of gradient descent, and aligns "
        "better with GD++, which corrects for curvature.",
        source=said(Work.VO23, "section 3, on several layers, and figures 3 and 7"),
        criterion="at the end and at each depth, the cosine with GD++ is above that with gradient descent, and the "
        "loss is below gradient descent's",
        judge=surpasses_descent,
    ),
)
