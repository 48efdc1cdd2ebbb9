"""Lines against the number of validation queries, whose column is `queries`."""

import numpy as np
from matplotlib.axes import Axes

from analysis.figures.measures import mean_over_seeds
from analysis.tables.select import Row, distinct, rows_where


def against_queries(rows: list[Row], queries: str, *panels: Axes) -> None:
    """Set the horizontal axis of panels whose lines are drawn by `line`."""
    counts = distinct(rows, queries)
    for panel in panels:
        panel.set_xscale("log")
        panel.set_xticks(counts, [f"{count:g}" for count in counts])
        panel.set_xticks([], minor=True)
        panel.set(xlabel="validation queries")


def line(panel: Axes, rows: list[Row], queries: str, column: str, **options) -> None:
    """Draw the mean of a column over seeds against the number of validation queries, with two standard errors."""
    counts = distinct(rows, queries)
    at_each = [mean_over_seeds(rows_where(rows, {queries: count}), column, f"{column}.stderr") for count in counts]
    means, errors = np.transpose(at_each)
    panel.errorbar(counts, means, errors, markersize=4, capsize=2, **options)
