"""Panels of one quantity in a row have one scale, and every panel has a title: in all figures, whatever they draw."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes


def one_scale(panels: Iterable[Axes]) -> None:
    """Give panels the same vertical limits. Call it when everything is drawn."""
    every = list(panels)
    low, high = zip(*(panel.get_ylim() for panel in every), strict=True)
    for panel in every:
        panel.set_ylim(min(low), max(high))


def share_rows(grid: np.ndarray) -> None:
    """Give the panels of a row with the same vertical label, on the same kind of axis, the same limits.

    Args:
        grid: the panels as they were designed, (rows, columns).
    """
    for row in grid:
        alike: dict[tuple[str, str], list[Axes]] = {}
        for panel in present(row):
            if panel.get_ylabel():
                alike.setdefault((panel.get_ylabel(), panel.get_yscale()), []).append(panel)
        for panels in alike.values():
            one_scale(panels)


def name_untitled(grid: np.ndarray) -> None:
    """Give panels without a title one: what they show, or where all of a row show the same, against what."""
    for panels in map(present, grid):
        vertical, horizontal = ([_line(text) for text in texts] for texts in zip(*map(_labels, panels), strict=True))
        first = panels[0]
        shared = first.get_shared_y_axes()  # a row with one axis names it once
        vertical = [
            label or (vertical[0] if shared.joined(first, panel) else "")
            for label, panel in zip(vertical, panels, strict=True)
        ]
        by_setting = len({*vertical}) == 1 < len({*horizontal})
        for panel, name, setting in zip(panels, vertical, horizontal, strict=True):
            if not any(panel.get_title(place) for place in ("left", "center", "right")):
                panel.set_title((setting if by_setting else "") or name or setting)


def _labels(panel: Axes) -> tuple[str, str]:
    return panel.get_ylabel(), panel.get_xlabel()


def _line(text: str) -> str:
    return " ".join(text.split())


def present(panels: Iterable[Axes]) -> list[Axes]:
    """Return the panels that are seen: neither removed nor hidden."""
    return [panel for panel in panels if panel.get_figure() is not None and panel.get_visible() and panel.axison]
