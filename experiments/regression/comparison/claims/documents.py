"""Judges of whether a difference from gradient descent grows with the documents: RAG-GD, figure 5 and appendix B."""

import itertools

from analysis.figures.evidence import Condition, above
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.tables.select import NotMeasured, text
from experiments.regression.comparison.drawing.by_documents import along
from lab.runs.directory import RunDirectory


def grows(directory: RunDirectory, part: str, reference: str = GD) -> list[Condition]:
    """Compare each number of documents with the next smaller one, at a quarter, half and the end of training."""
    _, *steps = (differences := along(directory, part, f"{reference}.{Metric.PREDICTION_L2}"))
    return [
        above(f"step {text(step)}: at {text(many)} documents - at {text(few)}", more - less)
        for step in steps
        for (few, less), (many, more) in itertools.pairwise(differences[step].items())
    ]


def is_larger_with_most(
    directory: RunDirectory, part: str, few: float, many: float, reference: str = GD
) -> list[Condition]:
    """Compare two numbers of documents at the end of training.

    Raises:
        NotMeasured: the table lacks one of them.
    """
    differences = along(directory, part, f"{reference}.{Metric.PREDICTION_L2}")
    step = max(differences)
    if not {few, many} <= differences[step].keys():
        raise NotMeasured(f"{part} lacks {text(few)} or {text(many)} documents")
    return [
        above(
            f"{part}, step {text(step)}: at {text(many)} documents - at {text(few)}",
            differences[step][many] - differences[step][few],
        )
    ]
