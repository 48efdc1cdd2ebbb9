"""The panels of a figure: designed as rows and columns, and placed as a page, a narrow screen or a paper has room."""

import math
import weakref

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from analysis.figures.narrow import is_narrow, is_paper

WIDTHS = (9.0, 13.0)  # inches of a figure
NARROW_WIDTH = 3.9
COLUMN, COLUMNS = 3.25, 6.75  # of one column of a paper, and of two with what is between them
ABREAST, ROWS = 3, 6  # the most panels beside one another on a paper, unless they would be more rows than this
SHAPES = (0.7, 1.0)  # heights of a paper's panel over its width
HIGHEST, LOW = 2.2, 1.6  # inches: the greatest height of a paper's panel, and the greatest in more than three rows
PAGE = 9.0  # inches of a paper's page
_GRIDS: weakref.WeakKeyDictionary[Figure, np.ndarray] = weakref.WeakKeyDictionary()  # panels as they were designed


def panels(rows: int, columns: int, width: float, height: float, **shared):
    """Return a new figure and its axes, an array of (rows, columns).

    Args:
        width: of the figure in inches. Pages show all figures at one width, so it is kept within `WIDTHS`; on a paper
            a figure has the width of one column or two.
        height: of the figure in inches. On narrow screens all panels stand below one another, each 2.6 to 3.2 inches
            high.
        shared: passed to `plt.subplots`, on wide screens only: sizes of panels, and which axes they share.
    """
    if is_narrow():
        count = rows * columns
        size = (NARROW_WIDTH, 0.4 + count * max(2.6, min(height / rows, 3.2)))
        figure, axes = plt.subplots(count, 1, figsize=size, squeeze=False, layout="constrained")
        axes = axes.reshape(rows, columns)
    elif is_paper():
        figure, axes = _on_paper(rows, columns, width, height, shared)
    else:
        size = (min(max(width, WIDTHS[0]), WIDTHS[1]), height)
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **shared)
    _GRIDS[figure] = axes
    return figure, axes


def designed(figure: Figure) -> np.ndarray | None:
    """Return the panels of a figure as they were designed, (rows, columns); None for one that `panels` has not made."""
    return _GRIDS.get(figure)


def is_folded(figure: Figure) -> bool:
    """Return whether panels of one designed row stand in several."""
    if (grid := _GRIDS.get(figure)) is None or (spec := grid.flat[0].get_subplotspec()) is None:
        return False
    return (spec.get_gridspec().nrows, spec.get_gridspec().ncols) != grid.shape


def _on_paper(rows: int, columns: int, width: float, height: float, shared: dict):
    """Return the figure with at most `ABREAST` panels beside one another; a long column has the whole width."""
    if columns == 1 and rows > ABREAST:
        size = (COLUMNS, min(height * COLUMNS / WIDTHS[0], PAGE))
        return plt.subplots(rows, 1, figsize=size, squeeze=False, layout="constrained", **shared)
    folds = math.ceil(columns / ABREAST)
    folds = folds if folds * rows <= ROWS else 1
    columns_there, rows_there = math.ceil(columns / folds), rows * folds
    places = [
        [(row * folds + column // columns_there, column % columns_there) for column in range(columns)]
        for row in range(rows)
    ]
    inches = COLUMN if columns_there == 1 else COLUMNS
    shape = (height / rows) / (min(max(width, WIDTHS[0]), WIDTHS[1]) / columns)
    high = min(
        inches / columns_there * min(max(shape, SHAPES[0]), SHAPES[1]), HIGHEST if rows_there <= ABREAST else LOW
    )
    size = (inches, 0.3 + rows_there * high)
    if (rows_there, columns_there) == (rows, columns):
        return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **shared)
    figure = plt.figure(figsize=size, layout="constrained")
    grid = figure.add_gridspec(rows_there, columns_there)
    axes = np.array([[figure.add_subplot(grid[place]) for place in row] for row in places], dtype=object)
    return figure, axes
