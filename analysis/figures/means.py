"""Means over seeds with two standard errors: at places, or against a column of the table, with bars or a band.

Where there is one seed the error is the one within it, over its episodes or test rows.
"""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from analysis.figures.estimates import Estimate
from analysis.tables.select import Row, group_by

BAND = {"alpha": 0.15, "linewidth": 0}


def mean_over_seeds(rows: Sequence[Row], column: str, error: str = "") -> tuple[float, float]:
    """Return the mean of a column over the seeds that have a value, and two standard errors of it.

    The error that all seeds have in common, `COLUMN.common`, is added in quadrature.

    Args:
        error: the column with the error within a seed, for a single one; "" for `COLUMN.stderr`.
    """
    defined = [row for row in rows if math.isfinite(_number(row[column]))]
    if not defined:
        return math.nan, 0.0
    shared = [each for row in defined if math.isfinite(each := _number(row.get(f"{column}.common")))]
    common = sum(shared) / len(shared) if shared else 0.0
    number = Estimate({place: _number(row[column]) for place, row in enumerate(defined)}, common)
    if len(defined) > 1:
        return number.mean, 2 * number.stderr
    within_seed = _number(defined[0].get(error or f"{column}.stderr"))
    return number.mean, 2 * (common or (within_seed if math.isfinite(within_seed) else 0.0))


def _number(cell: float | str | None) -> float:
    return cell if isinstance(cell, float | int) else math.nan


def means(rows_at: Sequence[list[Row]], column: str, error: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Return the means of a column at some places, from the rows of all seeds there, and two standard errors."""
    of_places, errors = np.transpose([mean_over_seeds(rows, column, error) for rows in rows_at])
    return of_places, errors


def points(
    panel: Axes, places: Sequence[float] | np.ndarray, rows_at: Sequence[list[Row]], column: str, error: str = "",
    flat: bool = False, **look
) -> None:  # fmt: skip
    """Draw the means of a column at some places, with bars.

    Args:
        rows_at: the rows of all seeds at each place. error: as in `mean_over_seeds`.
        flat: whether places are heights, and means go to the right.
    """
    of_places, errors = means(rows_at, column, error)
    where = {"x": of_places, "y": places, "xerr": errors} if flat else {"x": places, "y": of_places, "yerr": errors}
    panel.errorbar(**where, **{"fmt": "o", "markersize": 4, "capsize": 2} | look)


def line(panel: Axes, rows: list[Row], axis: str, column: str, **look) -> None:
    """Draw the means of a column with bars against another one, such as the number of validation queries."""
    by_value = group_by(rows, axis)
    points(panel, [*by_value], [*by_value.values()], column, fmt=look.pop("fmt", "o-"), **look)


def band(panel: Axes, rows: list[Row], axis: str, column: str, dashes: str = "-", **look) -> None:
    """Draw the means of a column as a line with a band against another one."""
    by_value = group_by(rows, axis)
    of_values, errors = means([*by_value.values()], column)
    panel.plot([*by_value], of_values, dashes, **look)
    panel.fill_between([*by_value], of_values - errors, of_values + errors, color=look["color"], **BAND)
