"""Pictures of matrices: one, or the trained Transformer's and the constructed one's side by side in one panel."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

LINE = {"color": "#555555", "linewidth": 0.6}
SIGNED, ABSOLUTE = "RdBu", "Blues"  # both are told apart by colour-blind readers
MOST = 5  # blocks or layers in a figure: the first, the last, and some between them at equal distances


def rows_of(count: int) -> list[int]:
    """Return the blocks or layers that are shown, counted from 0."""
    return sorted({round(place) for place in np.linspace(0, count - 1, min(count, MOST))})


def draw(
    axes: Axes,
    matrices: Sequence[np.ndarray],
    rows: tuple[Sequence[str], Sequence[int]],
    columns: tuple[Sequence[str], Sequence[int]],
    colors: str = SIGNED,
) -> AxesImage:
    """Draw matrices of one shape from left to right, at one scale, with lines between their slots.

    Values that are not finite are left white.

    Args:
        rows: names and widths of the slots of the rows.
        columns: names and widths of the slots of the columns.
    """
    height, width = matrices[0].shape
    gap = np.full((height, max(1, round(width / 12))), np.nan)
    parts = [part for matrix in matrices for part in (gap, matrix)][1:]
    starts = [number * (width + gap.shape[1]) for number in range(len(matrices))]
    most = largest(matrices)
    image = axes.imshow(
        np.ma.masked_invalid(np.concatenate(parts, axis=1)),
        cmap=colors,
        vmin=-most if colors == SIGNED else 0,
        vmax=most,
        interpolation="nearest",
        aspect="auto",
    )
    axes.grid(False)
    axes.spines[["top", "right"]].set_visible(True)
    axes.tick_params(length=0)
    for start in starts:
        for edge in (start, start + width, *(start + np.cumsum(columns[1])[:-1])):
            axes.axvline(edge - 0.5, **LINE)
    for edge in np.cumsum(rows[1])[:-1]:
        axes.axhline(edge - 0.5, **LINE)
    centres = [start + centre for start in starts for centre in _centres(columns[1])]
    axes.set_xticks(centres, list(columns[0]) * len(matrices))
    axes.set_yticks(_centres(rows[1]), rows[0])
    return image


def _centres(widths: Sequence[int]) -> list[float]:
    return [float(end - width / 2 - 0.5) for end, width in zip(np.cumsum(widths), widths, strict=True)]


def largest(matrices: Sequence[np.ndarray]) -> float:
    """Return the largest finite absolute value; 1 if all are 0."""
    return max(float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) for values in matrices) or 1.0
