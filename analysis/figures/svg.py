"""Figures as SVG whose series can be pointed at and hidden (`analysis/report/pictures.js`), for light and dark pages.

The paper is transparent, and on a dark page all that is drawn is inverted, by one rule. The same figure gives the same
bytes.
"""

import contextlib
import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from analysis.figures.series import POINTS, parts

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
TALL = 0.85  # height over width, above which a picture is scrolled and not made smaller
UNDATED = {"Date": None, "Creator": None, "Format": None, "Type": None}
STYLE = (  # fonts of about the same widths; hues stay
    ".figure text{font-family:'DejaVu Sans','Verdana',sans-serif!important}"
    "@media(prefers-color-scheme:dark){.figure{filter:invert(1) hue-rotate(180deg)}}"
)


def markup(figure: Figure) -> str:
    """Return a figure whose panels are arranged as the text of an SVG file."""
    attributes = {}  # {id: attributes of its element}
    for number, part in enumerate(parts(figure)):
        part.artist.set_gid(f"part{number}")
        attributes[f"part{number}"] = {"data-series": part.label} | (
            {"data-points": part.points} if part.points else {}
        )
    for number, axes in enumerate(figure.axes):
        axes.set_gid(f"panel{number}")
        attributes[f"panel{number}"] = _panel(axes)
    text = io.StringIO()
    with _transparent(figure):
        FigureCanvasSVG(figure).print_svg(text, metadata=UNDATED)  # `savefig` draws everything twice
    for prefix, namespace in (("", SVG), ("xlink", LINK)):
        ElementTree.register_namespace(prefix, namespace)
    root = ElementTree.fromstring(text.getvalue())
    for element in root.iter():
        for child in [child for child in element if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style")]:
            element.remove(child)
        element.attrib |= attributes.get(element.get("id", ""), {})
        if element.tag == f"{{{SVG}}}image":  # named by its content, which two panels may share; nothing refers to it
            element.attrib.pop("id", None)
        for key in {"d", "x", "y", "transform"} & element.attrib.keys():
            value = re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.2f}", element.attrib[key])
            element.set(key, " ".join(value.split()))
    ElementTree.indent(root, "")
    width, height = (float(number) for number in root.attrib["viewBox"].split()[2:])
    root.set("class", "figure tall" if height > TALL * width else "figure")
    ElementTree.SubElement(root, f"{{{SVG}}}style").text = STYLE
    return ElementTree.tostring(root, encoding="unicode") + "\n"


@contextlib.contextmanager
def _transparent(figure: Figure) -> Iterator[None]:
    """Return a context in which the paper and the panels of a figure have no colour. Its end restores the resolution
    too, which saving as SVG changes."""
    resolution, patches = figure.dpi, [figure.patch, *(axes.patch for axes in figure.axes)]
    colours = [(patch.get_facecolor(), patch.get_edgecolor()) for patch in patches]
    for patch in patches:
        patch.set(facecolor="none", edgecolor="none")
    try:
        yield
    finally:
        for patch, (face, edge) in zip(patches, colours, strict=True):
            patch.set(facecolor=face, edgecolor=edge)
        figure.dpi = resolution


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
