"""The pages for a browser, as Chromium shows them: their scripts run without a complaint, and nothing is cut off."""

import itertools

import pytest

from tests import browser
from tests.browser import WITH_CHROMIUM
from tests.command_line import ROOT

WIDTHS = (1200, 390)
PAGES = [ROOT / "docs" / "explorer.html", ROOT / "docs" / "findings" / "matrix.html"]


@WITH_CHROMIUM
def test_scripts_run_and_the_page_as_a_whole_does_not_scroll(tmp_path):
    results, console = browser.shown(PAGES, WIDTHS, tmp_path)
    assert not console
    for result, (page, width) in zip(results, itertools.product(PAGES, WIDTHS), strict=True):
        assert result["width"] == width, page
        assert not result["beyond"], page


def title_after(script: str, page, tmp_path) -> str:
    """Return the title of a page after a script at its end, which writes into the title."""
    copy = tmp_path / page.name
    text = page.read_text(encoding="utf-8").replace("</body>", f"<script>{{{script}}}</script></body>")
    copy.write_text(text, encoding="utf-8")
    return browser.title(copy, tmp_path)


DRAG = """
const circle = document.querySelector("circle.handle"), box = circle.ownerSVGElement.getBoundingClientRect();
const places = [];
const point = (name, share, target) => {
  const [clientX, clientY] = [box.left + share * box.width, box.top + share * box.height];
  target.dispatchEvent(new PointerEvent(name, { bubbles: true, clientX, clientY }));
  places.push(Number(circle.getAttribute("cx")).toFixed(2));
};
point("pointerdown", 0, circle);
point("pointermove", 0.5, window);
point("pointermove", 0.75, window);
point("ENDS", 0.75, window);
point("pointermove", 0.5, window);
document.title = places.slice(1).join(" ");
"""


@WITH_CHROMIUM
@pytest.mark.parametrize("end", ["pointerup", "pointercancel"])
def test_a_point_follows_the_pointer_until_it_is_let_go(end, tmp_path):
    assert title_after(DRAG.replace("ENDS", end), PAGES[0], tmp_path) == "0.00 0.63 0.63 0.63"


SQUARE = """
const square = [...document.querySelectorAll(".square")].find((one) => one.dataset.outcome === "not reached");
square.click();
document.title = document.getElementById("chosen").textContent.includes(`why: ${square.dataset.reason}`);
"""


@WITH_CHROMIUM
def test_a_square_without_a_verdict_says_why(tmp_path):
    assert title_after(SQUARE, PAGES[1], tmp_path) == "true"
