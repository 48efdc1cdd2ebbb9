"""The parts that figures 3 and 5 of RAG-GD share.

There is one row of panels per depth, and one line per number of documents: differences from gradient descent against
the training step.
"""

import matplotlib
from matplotlib.figure import Figure

from analysis.figures.estimates import Estimate, estimate
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, distinct, group_by, rows_where, table
from experiments.regression.comparison.drawing import against_step
from lab.runs.directory import RunDirectory

CAPTION = (
    "Differences between the trained Transformer and gradient descent against the training step, one line per "
    "number of documents."
)
PREDICTION, LOSS = (f"{GD}.{metric}" for metric in (Metric.PREDICTION_L2, Metric.LOSS_DIFFERENCE))
QUARTERS = (0.25, 0.5, 1.0)  # of the training, at which claims on curves are judged


def draw(directory: RunDirectory, reference: str = GD) -> Figure:
    """Return the figure of the differences from gradient descent, or from another learner."""
    counts = distinct(table(directory, Table.CURVES), "num_documents")
    colors = matplotlib.colormaps["viridis"].resampled(len(counts) + 1)

    def line_style(i: int, documents: float | str) -> tuple[str, object]:
        return f"{documents:g} documents", colors(i)

    panels = {f"{reference}.{metric}": title for metric, title in against_step.METRICS.items()}
    return against_step.draw(directory, "part", "num_documents", panels, line_style)


def along(directory: RunDirectory, part: str, metric: str) -> dict[float, dict[float, Estimate]]:
    """Return {step: {number of documents: a column of curves.csv}}, before training and at a quarter, half and the end.

    Raises:
        NotMeasured: there are not two counts, or two evaluations.
    """
    rows = rows_where(table(directory, Table.CURVES), {"part": part})
    by_step = group_by(rows, Curves.STEP)
    first, *later = by_step
    if not later or len(distinct(rows, "num_documents")) < 2:
        raise NotMeasured(f"{part} has fewer than two counts of documents, or was evaluated once")
    nearest = [min(later, key=lambda step, share=share: abs(step - share * later[-1])) for share in QUARTERS]
    return {
        step: {count: estimate(group, metric) for count, group in group_by(by_step[step], "num_documents").items()}
        for step in dict.fromkeys((first, *nearest))
    }
