"""Judges of what min-max does to the columns of a table: properties of its training rows, which no training decides.

Only highly skewed columns are looked at, as the sentences of RAG-GD are about these: those with a skewness above 1
(M. G. Bulmer, Principles of Statistics, 1979).
"""

from collections.abc import Sequence

from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, below
from analysis.tables.select import NotMeasured, Row, rows_where, table
from experiments.regression.comparison.results import OwnTable
from lab.runs.directory import RunDirectory
from tasks.datasets.columns import Inputs

HIGHLY_SKEWED = 1.0
NARROW = 0.2  # of the interval [0, 1]


def skewed(directory: RunDirectory, data: str, named: Sequence[str] = ()) -> list[Row]:
    """Return the rows of inputs.csv of the highly skewed columns under min-max, and of those that the source names.

    Raises:
        NotMeasured: the table lacks the data set or its skewness, or no column is highly skewed.
    """
    rows = rows_where(table(directory, OwnTable.INPUTS), {"data": data, "normalization": "minmax"})
    chosen = [row for row in rows if row.number(Inputs.SKEWNESS) > HIGHLY_SKEWED or row.text(Inputs.COLUMN) in named]
    if not chosen:
        raise NotMeasured(f"no column of {data} is highly skewed")
    return chosen


def majority_is_compressed(directory: RunDirectory, data: str, named: Sequence[str]) -> list[Condition]:
    return [
        below(
            f"{row.text(Inputs.COLUMN)}: width of the middle half",
            exact(row.number(Inputs.UPPER_QUARTILE) - row.number(Inputs.LOWER_QUARTILE)),
            NARROW,
        )
        for row in skewed(directory, data, named)
    ]


def most_are_near_zero(directory: RunDirectory, data: str) -> list[Condition]:
    return [
        below(f"{row.text(Inputs.COLUMN)}: median", exact(row.number(Inputs.MEDIAN)), NARROW)
        for row in skewed(directory, data)
    ]
