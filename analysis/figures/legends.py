"""Legends of at most six entries: one for a figure, or where it has more one below each panel with further ones.

A panel with more curves than that names them at their ends (`analysis.figures.ends`).
"""

import weakref
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.transforms import ScaledTranslation

from analysis.figures.ends import curve_of
from analysis.figures.narrow import is_narrow

MOST = 6
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
        if label not in own_labels and not (panel in NAMED_AT_ENDS and curve_of(handle)):
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
