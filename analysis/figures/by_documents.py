"""What figures 3 and 5 of RAG-GD share: one row per depth; differences from gradient descent against the training step,
by the number of documents."""

import math

import matplotlib
from matplotlib.figure import Figure

from analysis.figures import against_step
from analysis.tables.select import Row, column, distinct, rows_where, sort_by, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Differences between the trained Transformer and gradient descent against the training step, one line per "
    "number of documents."
)
PANELS = {f"gradient_descent.{metric}": title for metric, title in against_step.METRICS.items()}
PREDICTION = "gradient_descent.prediction_l2"


def draw(directory: RunDirectory) -> Figure:
    counts = distinct(table(directory, "curves"), "num_documents")
    colors = matplotlib.colormaps["viridis"].resampled(len(counts) + 1)

    def line_style(i: int, documents: float | str) -> tuple[str, object]:
        return f"{documents:g} documents", colors(i)

    return against_step.draw(directory, "part", "num_documents", PANELS, line_style)


def first_and_last(directory: RunDirectory, metric: str, part: str) -> dict[float, tuple[float, float]]:
    """{number of documents: (at the first step, at the last)} of a column of curves.csv, its mean over the seeds."""
    rows, pairs = rows_where(table(directory, "curves"), part=part), {}
    for documents in distinct(rows, "num_documents"):
        curve = rows_where(rows, num_documents=documents)
        steps = distinct(curve, "step")
        first, last = (rows_where(curve, step=step) for step in (steps[0], steps[-1]))
        pairs[documents] = (_mean(first, metric), _mean(last, metric))
    return pairs


def final_differences(directory: RunDirectory, part: str) -> dict[float, tuple[float, float]]:
    """{number of documents: the prediction difference from gradient descent, its standard error}, fewest first."""
    rows = sort_by(rows_where(table(directory, "points"), part=part), "num_documents")
    documents = column(rows, "num_documents")
    return {row[documents]: (row[PREDICTION], row[f"{PREDICTION}.stderr"]) for row in rows}


def difference(many: tuple[float, float], few: tuple[float, float]) -> tuple[float, float]:
    """many - few with its standard error; other counts of documents are other episodes, so the errors are apart."""
    return many[0] - few[0], math.hypot(many[1], few[1])


def _mean(rows: list[Row], metric: str) -> float:
    return sum(row[column(rows, metric)] for row in rows) / len(rows)
