"""Figures as SVG in both schemes of colours, whose series can be pointed at and hidden (`analysis/report/pictures.js`).

Text and axes have the colour of the text around them. Colours that are too dark on a dark page are lighter there. The
same figure gives the same bytes.
"""

import colorsys
import io
import re
from xml.etree import ElementTree

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from analysis.figures.series import POINTS, Part, parts

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
INK, INK_ON_DARK, DARK = "#1f2328", "#e6edf3", "#14181d"  # as in analysis/report/style.css
TALL = 0.85  # height over width, above which a picture is scrolled and not made smaller
CONTRAST = 4.5  # with a dark page
FONTS = "'DejaVu Sans','Verdana',sans-serif"  # of about the same widths
UNDATED = {"Date": None, "Creator": None, "Format": None, "Type": None}


def markup(figure: Figure) -> str:
    """Return a figure whose panels are arranged as the text of an SVG file."""
    marked = {f"part{number}": part for number, part in enumerate(parts(figure))}
    boxes = {f"panel{number}": axes for number, axes in enumerate(figure.axes)}
    for name, part in marked.items():
        part.artist.set_gid(name)
    for name, axes in boxes.items():
        axes.set_gid(name)
    patches = [figure.patch, *(axes.patch for axes in figure.axes if axes.axison)]
    visible = [patch.get_visible() for patch in patches]
    for patch in patches:
        patch.set_visible(False)
    dpi, text = figure.dpi, io.StringIO()
    FigureCanvasSVG(figure).print_svg(text, metadata=UNDATED)
    figure.dpi = dpi  # the canvas has set another
    for patch, was in zip(patches, visible, strict=True):
        patch.set_visible(was)
    return _finished(text.getvalue(), marked, boxes)


def _finished(text: str, marked: dict[str, Part], boxes: dict[str, Axes]) -> str:
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(text)
    ids: dict[str, str] = {}
    for element in root.iter():
        for child in [child for child in element if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style")]:
            element.remove(child)
        name = element.attrib.pop("id", "")
        if name in marked:
            element.set("data-series", marked[name].label)
            if marked[name].points:
                element.set("data-points", marked[name].points)
        elif name in boxes:
            element.attrib |= _panel(boxes[name])
        elif (
            name
            and name not in ids
            and not name.startswith(("figure_", "axes_", "patch_", "line2d_", "text_", "legend_", "matplotlib."))
        ):
            ids[name] = element.attrib["id"] = f"i{len(ids)}"
    for element in root.iter():
        _shorten(element, ids)
    width, height = (float(number) for number in root.attrib["viewBox"].split()[2:])
    root.set("class", "figure tall" if height > TALL * width else "figure")
    colors = sorted({color for element in root.iter() for color in re.findall(r"var\(--c(\w{6})", str(element.attrib))})
    style = ElementTree.Element(f"{{{SVG}}}style")
    lighter = "".join(f"--c{color}:{on_dark(f'#{color}')};" for color in colors)
    style.text = (
        f".figure{{color:{INK};fill:currentColor;font-family:{FONTS}}}"
        f"@media(prefers-color-scheme:dark){{.figure{{color:{INK_ON_DARK};{lighter}}}}}"
    )
    root.insert(0, style)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _panel(axes: Axes) -> dict[str, str]:
    """Return the attributes of a panel: its box in the units of the figure, and what its axes are called."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    width, height = figure.get_size_inches() * POINTS
    box = axes.get_position()
    corners = (box.x0 * width, (1 - box.y1) * height, box.x1 * width, (1 - box.y0) * height)
    names = {"data-x": axes.get_xlabel(), "data-y": axes.get_ylabel()}
    return {"data-box": " ".join(f"{corner:.1f}" for corner in corners)} | {
        key: " ".join(name.split()) for key, name in names.items() if name
    }


def _shorten(element: ElementTree.Element, ids: dict[str, str]) -> None:
    """Round coordinates, name colours by the page's, and refer to the ids that are left."""
    for key, value in list(element.attrib.items()):
        if key == f"{{{LINK}}}href":
            del element.attrib[key]
            element.set("href", f"#{ids.get(value[1:], value[1:])}" if value.startswith("#") else value)
        elif key in ("d", "x", "y", "transform", "width", "height", "viewBox"):
            element.set(key, " ".join(re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.2f}", value).split()))
        elif key == "clip-path":
            element.set(key, re.sub(r"#(\w+)", lambda match: f"#{ids[match[1]]}", value))
        elif key == "style":
            value = re.sub(r"#[0-9a-f]{6}\b", lambda match: _color(match[0]), value)
            value = re.sub(r"\s*font-family: 'DejaVu Sans'(?:, [^;]*)?;?|(['\"])DejaVu Sans\1, [^;]*", "", value)
            element.set(key, value)
    if element.text and not element.text.strip():
        element.text = "\n" if len(element) else None
    element.tail = "\n" if element.tail is not None and not element.tail.strip() else element.tail


def _color(color: str) -> str:
    if color == "#000000":
        return "currentColor"
    return color if contrast(color, DARK) >= CONTRAST else f"var(--c{color[1:]},{color})"


def on_dark(color: str) -> str:
    """Return a colour, light enough to be told from a dark page, of the same hue."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*_channels(color))
    while contrast(_hex(colorsys.hls_to_rgb(hue, lightness, saturation)), DARK) < CONTRAST:
        lightness += 0.01
    return _hex(colorsys.hls_to_rgb(hue, lightness, saturation))


def contrast(one: str, other: str) -> float:
    """Return the ratio of the luminances of two colours, as WCAG 2 defines it: 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in _channels(color)]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _channels(color: str) -> list[float]:
    return [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]


def _hex(channels) -> str:
    return "#" + "".join(f"{round(255 * min(value, 1.0)):02x}" for value in channels)
