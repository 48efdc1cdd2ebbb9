"""What figures 3 and 5 of [RAG-GD] measure: 2 and 5 recurrent layers against gradient descent, by document count."""

import math

from analysis.tables.select import Row, at, by, column, values
from lab.runs.directory import RunDirectory

PREDICTION = "gradient_descent.prediction_l2"


def first_and_last(directory: RunDirectory, metric: str, part: str) -> dict[float, tuple[float, float]]:
    """{number of documents: (at the first step, at the last)} of a column of curves.csv, its mean over the seeds."""
    rows = at(directory.read_table("curves"), part=part)
    found = {}
    for documents in values(rows, "num_documents"):
        mine = at(rows, num_documents=documents)
        steps = values(mine, "step")
        found[documents] = (_mean(at(mine, step=steps[0]), metric), _mean(at(mine, step=steps[-1]), metric))
    return found


def at_the_end(directory: RunDirectory, part: str) -> dict[float, tuple[float, float]]:
    """{number of documents: the prediction difference from gradient descent, its standard error}, fewest first."""
    rows = by(at(directory.read_table("points"), part=part), "num_documents")
    documents = column(rows, "num_documents")
    return {row[documents]: (row[PREDICTION], row[f"{PREDICTION}.stderr"]) for row in rows}


def difference(many: tuple[float, float], few: tuple[float, float]) -> tuple[float, float]:
    """many - few with its standard error; other counts of documents are other episodes, so the errors are apart."""
    return many[0] - few[0], math.hypot(many[1], few[1])


def _mean(rows: list[Row], metric: str) -> float:
    return sum(row[column(rows, metric)] for row in rows) / len(rows)
