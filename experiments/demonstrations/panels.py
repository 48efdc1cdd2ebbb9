"""Numbers with their bars, as the figures of this family draw them: over seeds, which are decoders or sets of
demonstrations, and where there is one seed alone over its episodes or test rows. No claims here."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

from analysis.figures.estimates import estimate
from analysis.tables.select import Row, distinct, rows_where


def number(rows: list[Row], column: str, error: str = "") -> tuple[float, float]:
    """Return the mean of a column over the seeds that have a value, and two standard errors.

    Args:
        error: the column with the error within a seed; "" for COLUMN.stderr.
    """
    defined = [row for row in rows if isinstance(row[column], float | int) and math.isfinite(row.number(column))]
    if not defined:
        return math.nan, 0.0
    measured, of_seed = estimate(defined, column), defined[0].get(error or f"{column}.stderr", 0.0)
    within_seed = measured.common or (of_seed if isinstance(of_seed, float | int) else 0.0)
    return measured.mean, 2 * (measured.stderr if math.isfinite(measured.stderr) else within_seed)


def points(
    panel: Axes, places: Sequence[float], rows_at: list[list[Row]], column: str, error: str = "", **options
) -> None:
    """Draw a column with its bars at some places, from the rows of all seeds there."""
    means, errors = zip(*(number(rows, column, error) for rows in rows_at), strict=True)
    panel.errorbar(places, means, errors, **{"fmt": "o", "markersize": 4, "capsize": 2} | options)


def line(panel: Axes, rows: list[Row], counts_in: str, column: str, **options) -> None:
    """Draw a column with its bars against another one, such as the number of validation queries."""
    counts = distinct(rows, counts_in)
    points(panel, counts, [rows_where(rows, {counts_in: count}) for count in counts], column, **options)


def against_queries(rows: list[Row], queries: str, *panels: Axes) -> None:
    """Set the horizontal axis of panels whose lines are drawn by `line`, against a column of counts."""
    counts = distinct(rows, queries)
    for panel in panels:
        panel.set_xscale("log")
        panel.set_xticks(counts, [f"{count:g}" for count in counts])
        panel.set_xticks([], minor=True)
        panel.set(xlabel="validation queries")
