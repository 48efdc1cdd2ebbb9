"""Judges of what a normalisation does to the retrieval by dot products, on the tables of figure 4 of RAG-GD.

It is a property of a table, which no training decides, and does not depend on what the runs themselves retrieve.
"""

from analysis.figures.estimates import exact, known
from analysis.figures.evidence import Condition, above
from analysis.tables.select import Row, rows_where, table
from experiments.regression.comparison.claims.normalization import TITLES
from experiments.regression.comparison.results import OwnTable
from lab.runs.directory import RunDirectory
from tasks.datasets.columns import Retrieved

JUDGED = ("bike", "california")


def minmax_and_zscore(directory: RunDirectory, data: str, corpus: str) -> list[Row]:
    """Return the two rows of retrieval.csv of a data set.

    Raises:
        NotMeasured: there is no such table, or it lacks the data set or one of the two normalisations.
    """
    rows = rows_where(table(directory, OwnTable.RETRIEVAL), {"data": data, Retrieved.CORPUS: corpus})
    return [rows_where(rows, {"normalization": how})[0] for how in ("minmax", "zscore")]


def is_steadier(directory: RunDirectory, corpus: str) -> list[Condition]:
    """Compare the share of documents that are retrieved again, min-max with z-score."""
    conditions = []
    for data in JUDGED:
        rows = minmax_and_zscore(directory, data, corpus)
        minmax, zscore = (known(row.number(Retrieved.KEPT), row.number(Retrieved.STDERR)) for row in rows)
        conditions.append(above(f"{TITLES[data]}: share of documents kept, min-max - z-score", minmax - zscore))
    return conditions


def finds_the_same_rows(directory: RunDirectory) -> list[Condition]:
    """Compare the share of the ten most frequent documents, min-max with z-score."""
    conditions = []
    for data in JUDGED:
        rows = minmax_and_zscore(directory, data, "zscore")
        minmax, zscore = (exact(row.number(Retrieved.MOST_FREQUENT)) for row in rows)
        conditions.append(above(f"{TITLES[data]}: share of the ten most frequent, min-max - z-score", minmax - zscore))
    return conditions
