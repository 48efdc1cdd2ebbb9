"""Judges of how evenly a trained Transformer uses the input columns of a table.

The weights behind an MLP belong to no single column. What stands for a column's weight is the mean absolute derivative
of the prediction by that input; unevenness is the Gini coefficient of these numbers.
"""

from collections.abc import Sequence

from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above
from analysis.tables.select import group_by, numbers, rows_where, table
from experiments.regression.comparison.results import Features, OwnTable
from lab.runs.directory import RunDirectory


def gini(values: Sequence[float]) -> float:
    """Return the Gini coefficient of numbers that are not negative: 0 if all are equal, 1 - 1/n if one is not 0.

    It is half the mean absolute difference of two of them, drawn with replacement, over their mean (C. Gini,
    Variabilita e mutabilita, 1912); here by their ranks.

    Raises:
        ZeroDivisionError: all numbers are 0.
    """
    ordered, count = sorted(values), len(values)
    weighted = sum((2 * rank - count - 1) * value for rank, value in enumerate(ordered, start=1))
    return weighted / (count * sum(ordered))


def unevenness(directory: RunDirectory, data: str, normalization: str, number: Features) -> Estimate:
    """Return the Gini coefficient of the Transformer's sensitivities to the columns.

    Raises:
        NotMeasured: there is no such table, or no such point in it.
    """
    wanted = {"data": data, "normalization": normalization, Features.LEARNER: "transformer"}
    rows = rows_where(table(directory, OwnTable.FEATURES), wanted)
    return Estimate({seed: gini(numbers(each, number)) for seed, each in group_by(rows, Features.SEED).items()})


def minmax_is_more_uneven(directory: RunDirectory, data: str, number: Features) -> list[Condition]:
    minmax, zscore = (unevenness(directory, data, how, number) for how in ("minmax", "zscore"))
    return [above("Gini coefficient of the sensitivities: min-max - z-score", minmax - zscore)]
