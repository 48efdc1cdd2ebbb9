"""The series of a figure: what each of its artists shows, so that a page can say values and hide what is not wanted.

An artist with a label begins a series; what follows in the same panel in its colour without a label (a band, bars of
errors) belongs to it.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection, LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter

MOST = 200  # values of one series; longer ones are drawn without them
POINTS = 72  # per inch: the unit of a figure's coordinates here, from its upper left corner
END = "end"  # the identifier of a label at the end of a curve (`analysis.figures.legends`)


@dataclasses.dataclass(frozen=True)
class Part:
    """One artist of a series.

    points: "x,y,against,value" of each value within the panel, separated by ";": its place in points (1/72 inch) from
        the figure's upper left corner, and as texts what it is drawn against, and the value with its error; "" where
        the artist has no values of its own.
    """

    artist: Artist
    label: str
    points: str = ""


def parts(figure: Figure) -> Iterator[Part]:
    """Yield the artists of all series, also those of legends."""
    for axes in figure.axes:
        yield from _of_panel(axes)
    for legend in [*figure.legends, *(axes.legend_ for axes in figure.axes if axes.legend_ is not None)]:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            yield from (Part(artist, text.get_text()) for artist in _drawn(handle))
            yield Part(text, text.get_text())


def _drawn(handle: object) -> list[Artist]:
    """Return the artists that a handle of a legend is drawn by."""
    if isinstance(handle, ErrorbarContainer | BarContainer):
        return [artist for artist in handle.get_children() if artist is not None]
    return [handle] if isinstance(handle, Artist) else []


def _of_panel(axes: Axes) -> Iterator[Part]:
    owned: dict[Artist, str] = {}
    for container in axes.containers:
        label = str(container.get_label())
        if not _named(label):
            continue
        if isinstance(container, ErrorbarContainer):
            line, *_ = container
            errors = _lengths(container)
            for artist in (artist for artist in container.get_children() if artist is not None):
                owned[artist] = label
                yield Part(artist, label, _of_line(axes, artist, errors) if artist is line else "")
        elif isinstance(container, BarContainer):
            yield from _of_bars(axes, container, label, owned)
    last: dict[str, str] = {}  # {colour: label of the last series in it}
    for artist in _in_order(axes):
        if artist in owned:
            continue
        label, color = str(artist.get_label()), _color(artist)
        if _named(label):
            last[color] = label
            yield Part(artist, label, _values(axes, artist))
        elif color in last and isinstance(artist, PolyCollection | LineCollection):
            yield Part(artist, last[color])
    for text in axes.texts:
        if text.get_gid() == END:
            yield Part(text, text.get_text())


def _in_order(axes: Axes) -> list[Artist]:
    return [child for child in axes.get_children() if isinstance(child, Line2D | Collection)]


def _named(label: str) -> bool:
    return bool(label) and not label.startswith("_")


def _color(artist: Artist) -> str:
    if isinstance(artist, Line2D):
        return to_hex(artist.get_color())
    if not isinstance(artist, Collection):
        return ""
    colors = np.atleast_2d(artist.get_facecolor() if isinstance(artist, PolyCollection) else artist.get_edgecolor())
    return to_hex(tuple(colors[0])) if colors.size else ""


def _values(axes: Axes, artist: Artist) -> str:
    if isinstance(artist, Line2D):
        return _of_line(axes, artist, _band(axes, artist))
    if isinstance(artist, PathCollection):
        return _text(axes, np.asarray(artist.get_offsets(), float), axes.transData, {})
    return ""


def _of_line(axes: Axes, line: Artist, errors: Mapping[float, float]) -> str:
    assert isinstance(line, Line2D)
    return _text(axes, np.asarray(line.get_xydata(), float), line.get_transform(), errors)


def _of_bars(axes: Axes, bars: BarContainer, label: str, owned: dict[Artist, str]) -> Iterator[Part]:
    errors = list(_lengths(bars.errorbar).values()) if bars.errorbar is not None else []
    flat = bars.orientation == "horizontal"
    for number, (patch, value) in enumerate(zip(bars.patches, np.asarray(bars.datavalues, float), strict=True)):
        box = patch.get_bbox()
        end = (box.x1, (box.y0 + box.y1) / 2) if flat else ((box.x0 + box.x1) / 2, box.y1)
        place = _place(axes, axes.transData.transform(end))
        error = errors[number] if number < len(errors) else 0.0
        yield Part(patch, label, f"{place},,{_with_error(value, error)}" if place else "")
    if bars.errorbar is not None:
        for artist in (artist for artist in bars.errorbar.get_children() if artist is not None):
            owned[artist] = label
            yield Part(artist, label)


def _lengths(container: ErrorbarContainer) -> dict[float, float]:
    """Return {x: half the length of the bar there}; of bars that lie flat, {y: half the length}."""
    halves = {}
    for bars in container.lines[2]:
        for (x0, y0), (x1, y1) in (segment for segment in bars.get_segments() if len(segment) == 2):
            halves[float(x0 if x0 == x1 else y0)] = max(abs(x1 - x0), abs(y1 - y0)) / 2
    return halves


def _band(axes: Axes, line: Line2D) -> dict[float, float]:
    """Return {x: half the width} of the band that follows a line in its colour."""
    artists = _in_order(axes)
    for artist in artists[artists.index(line) + 1 :]:
        if _named(str(artist.get_label())) and _color(artist) == _color(line):
            break  # another series, of the same colour
        if isinstance(artist, PolyCollection) and _color(artist) == _color(line):
            heights: dict[float, list[float]] = {}
            for x, y in (vertex for path in artist.get_paths() for vertex in np.asarray(path.vertices)):
                heights.setdefault(float(x), []).append(float(y))
            return {x: (max(ys) - min(ys)) / 2 for x, ys in heights.items()}
    return {}


def _text(axes: Axes, values: np.ndarray, transform, errors: Mapping[float, float]) -> str:
    """Return the text of a series' values; "" if they are too many."""
    if not 0 < len(values) <= MOST:
        return ""
    own = transform.contains_branch(axes.transData) and transform == axes.transData
    names = _names_of_ticks(axes.xaxis)
    texts = []
    for (x, y), pixel in zip(values, transform.transform(values), strict=True):
        if place := _place(axes, pixel):
            setting = names.get(float(x), f"{x:.4g}") if own else ""
            texts.append(f"{place},{_plain(setting)},{_with_error(y, errors.get(float(x), 0.0))}")
    return ";".join(texts)


def _place(axes: Axes, pixel: np.ndarray) -> str:
    """Return "x,y" of a pixel of the canvas; "" outside of the panel."""
    figure = axes.get_figure(root=True)
    if figure is None or not np.all(np.isfinite(pixel)):
        return ""
    box, (x, y) = axes.bbox, pixel
    if not (box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1):
        return ""
    scale = POINTS / figure.dpi
    return f"{x * scale:.1f},{(figure.bbox.height - y) * scale:.1f}"


def _names_of_ticks(axis: Axis) -> dict[float, str]:
    """Return {value: its name} of an axis whose ticks have names."""
    if not isinstance(axis.get_major_formatter(), FixedFormatter) and not axis.have_units():
        return {}
    labels = (label.get_text() for label in axis.get_ticklabels())
    return {float(place): label for place, label in zip(axis.get_ticklocs(), labels, strict=False) if label}


def _with_error(value: float, error: float) -> str:
    return f"{value:.4g} ± {error:.2g}" if error > 0 and math.isfinite(error) else f"{value:.4g}"


def _plain(text: str) -> str:
    """Return a text without the signs that separate texts."""
    return " ".join(text.replace(",", " ").replace(";", " ").split())
