"""What figures 3 and 5 of [RAG-GD] measure: 2 and 5 recurrent layers against gradient descent, by document count."""

from analysis.tables import Row, at, column, values
from lab.run_directory import RunDirectory


def ends(directory: RunDirectory, metric: str, part: str) -> dict[float, tuple[float, float]]:
    """{number of documents: (at the first step, at the last)} of a column of curves.csv, its mean over the seeds."""
    rows = at(directory.read_table("curves"), part=part)
    found = {}
    for documents in values(rows, "num_documents"):
        mine = at(rows, num_documents=documents)
        steps = values(mine, "step")
        found[documents] = (_mean(at(mine, step=steps[0]), metric), _mean(at(mine, step=steps[-1]), metric))
    return found


def _mean(rows: list[Row], metric: str) -> float:
    return sum(row[column(rows, metric)] for row in rows) / len(rows)
