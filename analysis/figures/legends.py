"""Legends of at most six entries, one for a figure, or where it has more one below each panel with further ones; and
labels at the ends of curves, so that readers need not look them up. A panel with more curves has these alone.
"""

import itertools
import textwrap
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from analysis.figures.narrow import is_narrow
from analysis.figures.series import END

MOST = 6
AT_ENDS = 10  # the most curves of a panel with labels at their ends
LONGEST = 30  # characters of a line of a label
SIZE = 7.0  # points
APART = 1.25  # lines of text
BELOW: weakref.WeakSet[Legend] = weakref.WeakSet()  # legends that are below their panels
NAMED_AT_ENDS: weakref.WeakSet[Axes] = weakref.WeakSet()  # panels without a legend of their curves
GAP = 2.0  # points between a panel's horizontal axis and its legend


def legend(axes: Axes, *others: Axes) -> None:
    """Draw a legend for the artists of several panels, each label once, in as many columns as fit.

    It is below the figure, or on narrow screens above it. What a panel's own legend has is left out.
    """
    of_panels = {panel: _entries(panel) for panel in (axes, *others)}
    every = {label: handle for entries in reversed(of_panels.values()) for label, handle in entries.items()}
    every = {label: every[label] for entries in of_panels.values() for label in entries}
    figure = axes.get_figure(root=True)
    if not every or figure is None:
        return
    if len(every) <= MOST:
        place = "outside upper center" if is_narrow() else "outside lower center"
        figure.legend(every.values(), every.keys(), loc=place, ncols=_columns(every, figure.get_figwidth()))
        return
    named: set[str] = set()
    for panel, entries in of_panels.items():
        if len(entries) > MOST:
            name_at_ends(panel)
            entries = _entries(panel)
        if entries.keys() - named:
            named |= entries.keys()
            spec = panel.get_subplotspec()
            width = figure.get_figwidth() / (spec.get_gridspec().ncols if spec else 1) - 0.6
            columns = _columns(entries, width)
            BELOW.add(panel.legend(entries.values(), entries.keys(), loc="upper center", ncols=columns))


def name_at_ends(panel: Axes) -> None:
    """Give a panel the names of its curves at their ends, so that no legend has them."""
    NAMED_AT_ENDS.add(panel)


def _entries(panel: Axes) -> dict[str, Any]:
    own = panel.get_legend()
    own_labels = {text.get_text() for text in own.get_texts()} if own else set()
    entries: dict[str, Any] = {}
    for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
        if label not in own_labels and not (panel in NAMED_AT_ENDS and _curve_of(handle)):
            entries.setdefault(label, handle)
    return entries


def _columns(entries: Mapping[str, Any], width: float) -> int:
    """Return how many columns fit into so many inches: each a line, and letters of nine points."""
    return min(len(entries), max(1, int(width / (0.6 + 0.075 * max(map(len, entries))))))


def make_room(figure: Figure) -> None:
    """Make a figure higher by the legends below its panels, so that the panels keep their size."""
    rows: dict[int, float] = {}
    for axes, own in _with_legends(figure):
        row = spec.rowspan.start if (spec := axes.get_subplotspec()) else 0
        rows[row] = max(rows.get(row, 0.0), own.get_window_extent().height / figure.dpi)
    if rows:
        figure.set_figheight(figure.get_figheight() + sum(rows.values()))


def put_below(figure: Figure) -> bool:
    """Put the legends below the labels of their panels, which have places now; return whether there is any."""
    panels = _with_legends(figure)
    for axes, own in panels:
        labels = axes.xaxis.get_tightbbox()
        depth = axes.bbox.y0 - labels.y0 if labels else 0.0
        offset = ScaledTranslation(0, -(max(depth, 0) + GAP) / figure.dpi, figure.dpi_scale_trans)
        own.set_bbox_to_anchor((0.5, 0.0), axes.transAxes + offset)
    return bool(panels)


def _with_legends(figure: Figure) -> list[tuple[Axes, Legend]]:
    return [(axes, own) for axes in figure.axes if (own := axes.get_legend()) is not None and own in BELOW]


def label_ends(figure: Figure, last: bool) -> None:
    """Write the labels of curves beside their ends, in some panels and the last one of each row, where they have room.

    Labels that would lie upon one another are moved apart. A panel is left as it is if its curves are too many, a label
    is too long or the labels are higher together than the panel.

    Args:
        last: whether the last panel of a row has such labels, beside the panels that have no legend of their curves.
    """
    for axes in figure.axes:
        spec = axes.get_subplotspec()
        if spec is None or sum(each.get_subplotspec() == spec for each in figure.axes) > 1:
            continue
        if axes not in NAMED_AT_ENDS and not (last and spec.is_last_col()):
            continue
        axes.get_ylim()  # until they are asked for, the limits do not take in new curves
        curves = _ends(axes)
        if axes in NAMED_AT_ENDS:  # which needs them, however long
            curves = {textwrap.fill(label, LONGEST): end for label, end in curves.items()}
        lines = 1 + max((label.count("\n") for label in curves), default=0)
        height = lines * APART * SIZE / 72 / (axes.get_position().height * figure.get_figheight())  # as a share
        fits = all(len(line) <= LONGEST for label in curves for line in label.split("\n"))
        if 2 <= len(curves) <= AT_ENDS and fits and len(curves) * height < 1:
            places = _apart([place for place, _ in curves.values()], height)
            for (label, (_, color)), place in zip(curves.items(), places, strict=True):
                axes.annotate(
                    label, (1, place), xycoords="axes fraction", xytext=(3, 0), textcoords="offset points",
                    va="center", fontsize=SIZE, color=color, annotation_clip=False, gid=END,
                )  # fmt: skip


def _curve_of(handle: object) -> Line2D | None:
    """Return the line of an entry of a legend; None for bars, bands and points without a line."""
    curve = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
    if isinstance(curve, Line2D) and curve.get_linestyle() not in ("None", "none", ""):
        return curve
    return None


def _ends(axes: Axes) -> dict[str, tuple[float, object]]:
    """Return {label: (height of the curve's end as a share of the panel, colour)}, from the lowest up."""
    ends = {}
    for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
        curve = _curve_of(handle)
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
