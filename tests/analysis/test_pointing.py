"""A report in a browser: its first screen, values under the pointer, series that are hidden, and tables that scroll."""

import dataclasses
from unittest import mock

import pytest

from analysis import figures
from analysis.report.blocks import Number, Table
from analysis.report.page import template
from analysis.tables.select import Row
from lab.runs.directory import RunDirectory
from tests import devtools
from tests.analysis import runs
from tests.browser import WITH_CHROMIUM
from tests.sketch import sketched

pytestmark = WITH_CHROMIUM


class Falls:
    CAPTION = "The height of two balls against the time since they were dropped."

    @staticmethod
    def draw(directory):
        from analysis.figures import style

        figure, axes = style.panels(1, 2, width=9, height=4)
        for panel in axes[0]:
            for place, (label, color) in enumerate((("rubber", "#332288"), ("glass", "#000000"))):
                rows = [Row(step=step, seed=seed, h=9 - step - place + seed) for step in (0, 1) for seed in (0, 1)]
                style.band(panel, rows, "h", label, color, "-")
            panel.set(xlabel="time in s", ylabel="height in m")
        style.legend(*axes[0])
        return figure


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> RunDirectory:
    path, numbers = tmp_path_factory.mktemp("report") / "run", {"bounces": 12.0, "bounces.stderr": 0.25}
    with mock.patch.object(figures, "FIGURES", dict(figures.FIGURES)), sketched(lambda *_: True):
        figures.register("falls", Falls)
        return runs.run(path, numbers, [{"time": 0, "h": 1}], figure="falls")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with devtools.page(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def browser(chromium, report):
    """The report, opened anew."""
    chromium.look(1200)
    chromium.open((report.path / "report.html").resolve().as_uri())
    yield chromium
    assert chromium.console == []
    assert {address.split(":")[0] for address in chromium.requests} <= {"file", "about", "data"}


DRAWING = "[...document.querySelectorAll('svg.figure')].find((one) => one.checkVisibility())"
PARTS = f"[...{DRAWING}.querySelectorAll('[data-series]')]"
SHOWN = "!document.querySelector('.values').hidden"


def point_at(browser, label: str, number: int) -> None:
    """Move the pointer to a value of a series, 3 units beside it."""
    browser.value(f"{DRAWING}.scrollIntoView()")
    x, y = browser.value(
        f"(() => {{ const part = {PARTS}.find((one) => one.dataset.series === '{label}' && one.dataset.points);"
        f"const [x, y] = part.dataset.points.split(';')[{number}].split(',').map(Number);"
        f"const at = new DOMPoint(x + 3, y).matrixTransform({DRAWING}.getScreenCTM()); return [at.x, at.y]; }})()"
    )
    browser.point(x, y)


@pytest.mark.parametrize("width", [390, 1200])
def test_values_under_the_pointer(width, browser):
    browser.look(width)
    point_at(browser, "rubber", 1)
    browser.until(SHOWN)
    assert browser.value("[...document.querySelector('.values').children].map((one) => one.textContent)") == [
        "rubber",
        "height in m: 8.5 ± 0.71",
        "time in s: 1",
    ]
    box = browser.value("(({left, right}) => [left, right])(document.querySelector('.values').getBoundingClientRect())")
    assert 0 <= box[0] < box[1] <= width
    browser.point(1, 1)
    browser.until(f"!({SHOWN})")


def test_a_click_on_the_legend_hides_a_series_and_another_shows_it(browser):
    hidden = f"{PARTS}.filter((one) => one.classList.contains('off')).map((one) => one.dataset.series)"
    count = browser.value(f"{PARTS}.filter((one) => one.dataset.series === 'glass').length")
    assert count == 2 * 2 + 1 + 2, (
        "in each panel a line and a band, a label at its end; in the legend a line and a name"
    )
    key = f"{PARTS}.find((one) => one.dataset.series === 'glass' && one.getAttribute('role') === 'button')"
    press = f"{key}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
    browser.value(press)
    assert browser.value(hidden) == ["glass"] * count
    assert browser.value(f"getComputedStyle({PARTS}.find((one) => one.dataset.series === 'glass')).opacity") == "0"
    assert browser.value(f"{key}.getAttribute('aria-pressed')") == "false"
    point_at(browser, "glass", 0)
    browser.value("new Promise((done) => setTimeout(done, 100))")
    assert not browser.value(f"{SHOWN} && document.querySelector('.values').textContent.includes('glass')")
    browser.value(press)
    assert browser.value(hidden) == []
    browser.value(f"{key}.focus()")
    browser.press_enter()
    assert browser.value(hidden) == ["glass"] * count, "by keys too"


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("dark", [False, True])
def test_the_first_screen_has_the_answer_and_one_figure(width, dark, browser):
    browser.look(width, 900, dark)
    assert browser.value("document.documentElement.scrollWidth") <= width
    top = "document.querySelector('%s').getBoundingClientRect().bottom"
    assert 0 < browser.value(top % ".answer") < browser.value(f"{DRAWING}.getBoundingClientRect().top") < 450
    seen = "[...document.querySelectorAll('svg.figure, img')].filter((one) => one.checkVisibility()).length"
    assert browser.value(seen) == 1
    assert browser.value("[...document.querySelectorAll('table')].filter((one) => one.checkVisibility()).length") == 0
    assert browser.value("document.querySelectorAll('details.section:not([open])').length") >= 3
    inverted, paper = browser.value(
        f"[getComputedStyle({DRAWING}).filter, getComputedStyle(document.body).backgroundColor]"
    )
    assert inverted.startswith("invert") == dark
    assert (sum(map(int, paper[4:-1].split(","))) < 384) == dark


def test_a_link_opens_what_is_folded(browser):
    assert not browser.value("document.getElementById('numbers').open")
    browser.value("location.hash = '#numbers'")
    browser.until("document.getElementById('numbers').open")


def test_a_table_that_scrolls_says_so_and_keeps_its_names(tmp_path, chromium):
    cells = tuple(Number(1.23456 * 10**-place, 10.0 ** -(place + 4)) for place in range(4))
    table = Table("A table", ("name of the row", "first", *"bcd"), [("one of the names", *cells)])
    small = dataclasses.replace(table, heads=table.heads[:2], rows=[row[:2] for row in table.rows])
    body = "{% block body %}{{ m.blocks(blocks) }}{% endblock %}"
    source = f"{{% extends 'layout.html.j2' %}}{{% import 'macros.html.j2' as m %}}{body}"
    page = template("layout.html.j2").environment.from_string(source).render(blocks=[table, small])
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    chromium.look(390)
    chromium.open((tmp_path / "page.html").as_uri())
    chromium.until("document.querySelectorAll('.scrolls').length === 1")
    sign = "getComputedStyle(document.querySelectorAll('caption')[%d], '::after').content"
    assert "scrolls sideways" in chromium.value(sign % 0)
    assert "scrolls" not in chromium.value(sign % 1)
    right = "document.querySelectorAll('td')[1].getBoundingClientRect().right"
    assert chromium.value(right) <= 390, "the first number is seen without scrolling"
    chromium.value("document.querySelector('.scrolls').scrollLeft = 1000")
    name = chromium.value("document.querySelector('td').getBoundingClientRect().left")
    assert 0 <= name < 40, "and the row's name after it"
    chromium.look(1200)
    chromium.until("document.querySelectorAll('.scrolls').length === 0")
