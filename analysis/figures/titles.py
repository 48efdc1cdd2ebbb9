"""The titles and scales of a figure's panels: panels of one quantity in a row have one scale, every panel has a title
within its panel, and on narrow screens each names its case.

On wide screens a panel's case is often that of its column, named by the first row's titles, or that of its row, named
by the first column. On narrow screens all panels stand below one another, so that each has to name it by itself.
"""

import textwrap
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

LABELS, LETTER = 0.8, 0.075  # inches: the width of a vertical axis' labels, and of a letter of a title


def name_panels(grid: np.ndarray) -> None:
    """Complete the titles of panels that now stand below one another, and that were designed as rows and columns.

    Args:
        grid: the panels, (rows, columns).
    """
    if grid.size == 1:
        return
    if any(panel.get_title("left") for panel in grid.flat):
        return _name_rows(grid)
    titles = np.array([[panel.get_title() for panel in row] for row in grid], dtype=object)
    _complete(titles)
    _complete(titles.T)
    panels, texts = list(grid.flat), list(titles.flat)
    if not any(texts):
        texts = _names(panels)
    for place in _repeated(texts):
        texts[place] = _joined(texts[place], next(filter(None, map(_line, _labels(panels[place]))), ""))
    for place in _repeated(texts):
        texts[place] = _by(texts[place], panels[place].get_xlabel())
    for panel, text in zip(panels, texts, strict=True):
        if panel.get_figure() is not None:  # a panel that was removed has none
            panel.set_title(text)


def wrap_titles(figure: Figure) -> None:
    """Break titles that are wider than their axes into several lines.

    A title is centred above its axes, which are narrower than the panel by the labels of the vertical axis. A longer
    title would be cut off at the edge of the figure.
    """
    for axes in figure.axes:
        place = axes.get_subplotspec()
        if place is not None and (title := axes.get_title()):
            inches = figure.get_figwidth() / place.get_gridspec().ncols - LABELS
            axes.set_title("\n".join(textwrap.fill(line, int(inches / LETTER)) for line in title.split("\n")))


def rewrap_titles(figure: Figure) -> bool:
    """Break the titles further that reach beyond the figure or into one another now that the panels have places; return
    whether any did.

    A panel with wide labels of its vertical axis is narrower than `wrap_titles` assumes.
    """
    changed = False
    boxes = {axes: axes.title.get_window_extent() for axes in figure.axes if axes.get_title()}
    for axes, box in boxes.items():
        beside_another = any(box.overlaps(other) for each, other in boxes.items() if each is not axes)
        if beside_another or not 0 <= box.x0 < box.x1 <= figure.bbox.width:
            middle = (box.x0 + box.x1) / 2
            inches = 2 * min(middle, figure.bbox.width - middle) / figure.dpi
            inches = min(inches, axes.bbox.width / figure.dpi) if beside_another else inches
            text = axes.get_title().replace("\n", " ")
            axes.set_title(textwrap.fill(text, max(8, int(inches / LETTER))))
            changed = True
    return changed


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


def present(panels: Iterable[Axes]) -> list[Axes]:
    """Return the panels that are seen: neither removed nor hidden."""
    return [panel for panel in panels if panel.get_figure() is not None and panel.get_visible() and panel.axison]


def _name_rows(grid: np.ndarray) -> None:
    """Repeat the vertical label of a row's first panel where labels are what rows differ by."""
    labels = [row[0].get_ylabel() for row in grid]
    if len(labels) > 1 and _tell_apart(labels):
        for row, label in zip(grid, labels, strict=True):
            for panel in row:
                panel.set_ylabel(panel.get_ylabel() or label)


def _complete(titles: np.ndarray) -> None:
    """Put the case of each column, which the first row names, before the titles of rows that do not tell them apart."""
    named = list(titles[0])
    if titles.shape[1] == 1 or not _tell_apart(named):
        return
    short = [name.split(": ")[0] for name in named]
    cases = short if _tell_apart(short) else named
    for row in titles:
        if not _tell_apart(row):
            row[:] = [_joined(case, title) for case, title in zip(cases, row, strict=True)]


def _tell_apart(names: Sequence[str]) -> bool:
    return all(names) and len({*names}) == len(names)


def _repeated(names: Sequence[str]) -> list[int]:
    """Return the places of names that are empty, or there more than once."""
    return [place for place, name in enumerate(names) if not name or list(names).count(name) > 1]


def _names(panels: Sequence[Axes]) -> list[str]:
    """Return names for panels without titles: by what they show, or by what against, or by both."""
    vertical, horizontal = ([_line(text) for text in texts] for texts in zip(*map(_labels, panels), strict=True))
    if _tell_apart(vertical):
        return vertical
    return horizontal if _tell_apart(horizontal) else list(map(_by, vertical, horizontal))


def _labels(panel: Axes) -> tuple[str, str]:
    return panel.get_ylabel(), panel.get_xlabel()


def _by(name: str, setting: str) -> str:
    return ", by ".join(text for text in (name, _line(setting)) if text)


def _line(text: str) -> str:
    return " ".join(text.split())


def _joined(case: str, title: str) -> str:
    return ": ".join(text for text in (case, title) if text)
