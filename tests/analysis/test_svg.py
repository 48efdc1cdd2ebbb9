"""Figures as SVG: both schemes of colours, the values of their series, and what a page takes from a file."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from analysis.figures import style, svg
from analysis.figures.narrow import LARGE
from analysis.report import inline
from analysis.tables.select import Row
from lab.runs.directory import RunDirectory

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</text><script>alert(1)</script>"'


def drawn(draw) -> ElementTree.Element:
    with style.paper(), style.closed():
        figure, axes = style.panels(1, 1, width=9, height=4)
        draw(axes[0][0])
        style.legend(axes[0][0])
        style.arrange(figure)
        return ElementTree.fromstring(svg.markup(figure))


def values(root: ElementTree.Element, label: str) -> list[tuple[str, ...]]:
    """(what it is drawn against, the value with its error) of each point of a series."""
    (text,) = [e.get("data-points", "") for e in root.iter() if e.get("data-series") == label and e.get("data-points")]
    return [tuple(point.split(",")[2:]) for point in text.split(";")]


def band(panel):
    rows = [Row(step=step, seed=seed, loss=step + seed) for step in (0, 100) for seed in (0, 2)]
    style.band(panel, rows, "loss", "trained", "#332288", "-")


def test_values_with_their_errors_are_in_the_picture():
    root = drawn(band)
    assert values(root, "trained") == [("0", "1 ± 1.4"), ("100", "101 ± 1.4")]
    root = drawn(lambda panel: panel.errorbar([1, 2], [0.5, 0.25], [0.1, 0], label="bars", color="#000000"))
    assert values(root, "bars") == [("1", "0.5 ± 0.1"), ("2", "0.25")]
    root = drawn(lambda panel: panel.plot(["one, two", "three"], [3, np.nan], label="names"))
    assert values(root, "names") == [("one two", "3")]


def test_series_of_one_colour_have_bands_of_their_own():
    def draw(panel):
        panel.plot([0, 100], [3, 4], label="without", color="#332288")
        band(panel)

    root = drawn(draw)
    assert values(root, "without") == [("0", "3"), ("100", "4")]
    assert values(root, "trained") == [("0", "1 ± 1.4"), ("100", "101 ± 1.4")]


def test_each_bar_has_its_value():
    def bars(panel):
        panel.bar([0, 1], [2.0, 3.0], yerr=[0.5, 0.25], label="one", color="#0072B2")
        panel.bar([2], [7.0], label="other", color="#000000")

    texts = [(e.get("data-series"), e.get("data-points", "")) for e in drawn(bars).iter() if e.get("data-points")]
    assert [(series, text.split(",")[3]) for series, text in texts] == [
        ("one", "2 ± 0.5"), ("one", "3 ± 0.25"), ("other", "7"),
    ]  # fmt: skip


def test_points_lie_on_the_curve_and_outside_the_panel_there_are_none():
    def draw(panel):
        panel.plot([0, 1, 2], [0, 1, 50], label="curve", color="#0072B2")
        panel.set(xlim=(0, 2), ylim=(0, 2))

    root = drawn(draw)
    assert values(root, "curve") == [("0", "0"), ("1", "1")]
    (group,) = [e for e in root.iter() if e.get("data-series") == "curve" and e.get("data-points")]
    path = group.find(f"{SVG}path")
    assert path is not None
    curve = [float(number) for number in re.findall(r"[\d.]+", path.get("d", ""))][:4]
    points = [float(text) for point in group.get("data-points", "").split(";") for text in point.split(",")[:2]]
    assert points == pytest.approx(curve, abs=0.1)
    (box,) = [[float(edge) for edge in e.get("data-box", "").split()] for e in root.iter() if e.get("data-box")]
    assert box[0] == pytest.approx(points[0], abs=0.1)
    assert box[3] == pytest.approx(points[1], abs=0.1)


def test_a_band_and_the_legend_belong_to_their_series():
    root = drawn(band)
    kinds = [[child.tag.removeprefix(SVG) for child in e] for e in root.iter() if e.get("data-series") == "trained"]
    assert len(kinds) == 4, "the band, the line, and the legend's line and text"
    assert ["text"] in kinds


def test_the_paper_is_the_page_s():
    """Nothing is filled with white, which a dark page would show as a box."""
    text = ElementTree.tostring(drawn(band), encoding="unicode")
    assert "#ffffff" not in text
    assert "prefers-color-scheme:dark" in text


@pytest.mark.usefixtures("drawn")
def test_the_same_bytes_and_the_other_forms_as_without_it(tmp_path):
    files = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        directory = RunDirectory(tmp_path / name)
        with style.paper(), style.closed():
            figure, axes = style.panels(1, 1, width=9, height=4)
            band(axes[0][0])
            dpi = figure.dpi
            style.save(figure, directory, "figure")
            assert figure.dpi == 72, "the PDF's, which is the last"
            assert axes[0][0].patch.get_visible()
        files.append({path.name: path.read_bytes() for path in (tmp_path / name / "figures").iterdir()})
    assert files[0] == files[1]
    assert set(files[0]) == {"figure.png", "figure.svg", "figure.pdf"}
    assert dpi == 160
    assert int.from_bytes(files[0]["figure.png"][16:20], "big") == 9 * 160


def shown(tmp_path, text: str, png: bytes = b"a picture") -> str:
    directory = RunDirectory(tmp_path)
    (tmp_path / "figures").mkdir(exist_ok=True)
    (tmp_path / "figures" / "a.svg").write_text(text, encoding="utf-8")
    (tmp_path / "figures" / "a.png").write_bytes(png)
    return inline.picture(directory, "a", "b.c", "what it shows")


def test_a_page_has_the_drawing_with_ids_of_its_own(tmp_path):
    text = ElementTree.tostring(drawn(band), encoding="unicode")
    html = shown(tmp_path, text)
    ids = re.findall(r'id="([^"]+)"', html)
    assert ids
    assert all(name.startswith("b_c-") for name in ids)
    assert (used := {*re.findall(r"#(b_c-\w+)", html)})
    assert used <= {*ids}
    assert 'aria-label="what it shows"' in html
    assert "base64" in shown(tmp_path, text + " " * LARGE), "a large one is a PNG"


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<g onload="alert(1)"/>',
        '<image href="https://example.org/a.png"/>',
        '<image xlink:href="https://example.org/a.png" xmlns:xlink="http://www.w3.org/1999/xlink"/>',
        '<g style="fill: url(https://example.org/a)"/>',
        "<style>@import 'https://example.org/a.css'</style>",
        "<style>&lt;/style>&lt;script>alert(1)&lt;/script></style>",
        "<foreignObject/>",
        '<a href="javascript:alert(1)"/>',
        '<use href="java script:alert(1)"/>',
        "<!-- a comment -->",
        "<g>",
    ],
)
def test_a_page_takes_nothing_from_a_file_but_a_drawing(inside, tmp_path):
    html = shown(tmp_path, f'<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>')
    assert html.startswith("<img ")
    assert "base64" in html
    assert "example.org" not in html
    assert "alert" not in html


def test_names_are_text(tmp_path):
    root = drawn(lambda panel: panel.plot([0, 1], [0, 1], label=HOSTILE))
    html = shown(tmp_path, ElementTree.tostring(root, encoding="unicode"))
    assert "<svg" in html
    assert "<script" not in html
