"""Figures within a page: as SVG, which follows the page's scheme of colours, or as PNG where the SVG is large."""

import base64
import re
from xml.etree import ElementTree

import markupsafe

from analysis.figures.narrow import LARGE
from lab.runs.directory import RunDirectory

ELEMENTS = {  # elements that Matplotlib draws with; a page accepts no others from a file, such as a script
    "svg", "style", "defs", "g", "path", "use", "clipPath", "rect", "image", "text", "tspan", "circle", "ellipse",
    "line", "polygon", "polyline", "pattern",
}  # fmt: skip
NAMESPACE = "{http://www.w3.org/2000/svg}"


def picture(directory: RunDirectory, stem: str, prefix: str, alternative: str) -> markupsafe.Markup:
    """Return a figure of a directory as HTML; "" if there is none.

    Args:
        stem: the name of its files, without a suffix.
        prefix: the prefix of its ids, different for each figure of a page.
        alternative: its description in words.
    """
    if (directory.path / f"figures/{stem}.svg").exists():
        text = directory.read_bytes(f"figures/{stem}.svg").decode("utf-8", errors="replace")
        if len(text) <= LARGE and _is_drawing(text):
            name = re.sub(r"[^\w-]", "_", prefix)
            text = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", text)
            box = markupsafe.Markup('<div class="drawing" role="group" aria-label="{}">\n')
            return box.format(alternative) + markupsafe.Markup(text) + markupsafe.Markup("</div>")
    if not (directory.path / f"figures/{stem}.png").exists():
        return markupsafe.Markup("")
    png = base64.b64encode(directory.read_bytes(f"figures/{stem}.png")).decode()
    return markupsafe.Markup('<img alt="{}" src="data:image/png;base64,{}">').format(alternative, png)


def _is_drawing(text: str) -> bool:
    """Return whether a text is an SVG that only draws: it loads nothing and executes nothing."""
    if "<!" in text or "<?" in text:  # entities, among others
        return False
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return False
    return all(_only_draws(element) for element in root.iter())


def _only_draws(element: ElementTree.Element) -> bool:
    tag, is_svg = element.tag.removeprefix(NAMESPACE), element.tag.startswith(NAMESPACE)
    style = element.text or "" if tag == "style" else ""
    values = [*(value for key, value in element.attrib.items() if not key.startswith("data-")), style]
    links = [re.sub(r"\s", "", value) for key, value in element.attrib.items() if key.endswith("href")]
    return (
        is_svg
        and tag in ELEMENTS
        and not any(key.startswith("on") for key in element.attrib)
        and all(link.startswith(("#", "data:image/png;base64,")) for link in links)
        and not any(re.search(r"url\((?!#)|@import|javascript:|<", value, re.IGNORECASE) for value in values)
    )
