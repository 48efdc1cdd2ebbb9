"""Labels at the ends of curves, so that readers need not look them up in the legend."""

import itertools
import textwrap
from collections.abc import Collection

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures.series import END

LEAST, MOST = 2, 10  # curves of a panel
LONGEST = 30  # characters of a line
SIZE = 7.0  # points
APART = 1.25  # lines of text


def label_ends(figure: Figure, chosen: Collection[Axes] = (), last: bool = True) -> None:
    """Write the labels of curves beside their ends, in some panels and the last one of each row, where they have room.

    Labels that would lie upon one another are moved apart. A panel is left as it is if its curves are too many, a label
    is too long or the labels are higher together than the panel.

    Args:
        chosen: panels that have no legend of their curves. last: whether the last panel of a row has such labels.
    """
    for axes in figure.axes:
        spec = axes.get_subplotspec()
        if spec is None or sum(each.get_subplotspec() == spec for each in figure.axes) > 1:
            continue
        if axes not in chosen and not (last and spec.is_last_col()):
            continue
        axes.get_ylim()  # until limits are asked for, those of new curves are not taken in
        curves = _ends(axes)
        if axes in chosen:  # which needs them, however long
            curves = {textwrap.fill(label, LONGEST): end for label, end in curves.items()}
        lines = 1 + max((label.count("\n") for label in curves), default=0)
        height = lines * APART * SIZE / 72 / (axes.get_position().height * figure.get_figheight())  # as a share
        fits = all(len(line) <= LONGEST for label in curves for line in label.split("\n"))
        if LEAST <= len(curves) <= MOST and fits and len(curves) * height < 1:
            places = _apart([place for place, _ in curves.values()], height)
            for (label, (_, color)), place in zip(curves.items(), places, strict=True):
                axes.annotate(
                    label, (1, place), xycoords="axes fraction", xytext=(3, 0), textcoords="offset points",
                    va="center", fontsize=SIZE, color=color, annotation_clip=False, gid=END,
                )  # fmt: skip


def curve_of(handle: object) -> Line2D | None:
    """Return the line of an entry of a legend; None for bars, bands and points without a line."""
    curve = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
    if isinstance(curve, Line2D) and curve.get_linestyle() not in ("None", "none", ""):
        return curve
    return None


def _ends(axes: Axes) -> dict[str, tuple[float, object]]:
    """Return {label: (height of the curve's end as a share of the panel, colour)}, from the lowest up."""
    ends = {}
    for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
        curve = curve_of(handle)
        if curve is not None and label not in ends:
            x, y = np.asarray(curve.get_xydata(), float).T
            finite = np.isfinite(x) & np.isfinite(y)
            if finite.sum() > 1:
                last = np.argmax(np.where(finite, x, -np.inf))
                place = axes.transAxes.inverted().transform(axes.transData.transform((x[last], y[last])))
                ends[label] = (float(np.clip(place[1], 0, 1)), curve.get_color())
    return dict(sorted(ends.items(), key=lambda item: item[1][0]))


def _apart(places: list[float], height: float) -> list[float]:
    """Return ascending places, moved until neighbours are `height` apart, all at most 1."""
    raised = list(itertools.accumulate(places, lambda lower, place: max(place, lower + height)))
    raised[-1] = min(raised[-1], 1.0)
    lowered = list(itertools.accumulate(reversed(raised), lambda higher, place: min(place, higher - height)))
    return list(reversed(lowered))
