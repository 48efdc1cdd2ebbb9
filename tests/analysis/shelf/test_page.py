"""The page of runs in a browser: driven by keys as a person drives it, and looked at in several widths."""

import math
import pathlib
from collections.abc import Iterator

import numpy as np
import pytest

from lab.config.compose import compose_run
from lab.config.identity import config_hash
from tests import devtools
from tests.analysis.shelf.runs import run, seeded
from tests.browser import WITH_CHROMIUM
from tests.command_line import lab_here

ONE = {seed: 1.0 + 0.3 * seed for seed in range(5)}
OTHER = {seed: value - 0.2 - 0.012 * seed**2 for seed, value in ONE.items() if seed != 1}
EVIL = "<img src=x onerror=\"document.title='broken'\"></script><script>document.title='broken'</script>"
TEXT = "document.activeElement.textContent + (document.activeElement.getAttribute('aria-label') ?? '')"


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Iterator[devtools.Page]:
    folder = tmp_path_factory.mktemp("shelf")
    for name, values, words in (("a" * 10, ONE, ["train.steps=500"]), ("b" * 10, OTHER, ["train.steps=2000"])):
        numbers, rows = seeded(values)
        losses = {step: [value * 0.5**step for value in values.values()] for step in range(9)}
        directory = run(folder, name, words, numbers | {"eta": 0.5}, rows, losses)
        directory.write_text("report.html", "<!DOCTYPE html><title>a report</title>")
    run(folder, "c" * 10, state=EVIL)
    fresh = config_hash(compose_run(["experiment=rag_dot"]))  # the only one that its command would make today
    run(folder, fresh, answer=EVIL, experiment="rag_dot", numbers={EVIL: 1.0})
    for number in range(30):
        run(folder, f"{number:010d}", [f"seed={number + 1}"], experiment="rag_linear")
    assert lab_here("runs", cwd=folder).returncode == 0
    with devtools.page(tmp_path_factory.mktemp("browser") / "profile") as page:
        page.look(1200)
        page.open((folder / "runs" / "index.html").as_uri())
        yield page
        assert not page.console
        assert {pathlib.PurePosixPath(address.partition("#")[0]).name for address in page.requests} <= {
            "index.html", "report.html", "blank", "about:blank"
        }, "nothing is loaded"  # fmt: skip


@pytest.fixture
def fresh(page) -> devtools.Page:
    """The page with nothing ticked, searched or sorted."""
    page.look(1200)
    page.open(page.value("location.href.split('#')[0]"))
    return page


def to(page: devtools.Page, part: str) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(200):
        page.press("Tab")
        if part in page.value(TEXT) or part == page.value("document.activeElement.id"):
            return
    pytest.fail(f"no key reaches {part}")


def rows(page: devtools.Page) -> list[str]:
    return page.value("[...document.querySelectorAll('#runs tbody tr')].map((row) => row.cells[1].innerText)")


def cells(page: devtools.Page, table: str) -> list[list[str]]:
    """The texts of a table's body."""
    each = f"[...document.querySelectorAll('#{table} tbody tr')]"
    return page.value(f"{each}.map((row) => [...row.cells].map((cell) => cell.innerText))")


@WITH_CHROMIUM
def test_keys_search_sort_and_tick(fresh):
    """Without a pointer, from the top of the page: the search, two runs, their comparison, and values of a curve."""
    assert len(rows(fresh)) == 34
    to(fresh, "search")
    fresh.type("plain train.steps=")
    assert len(rows(fresh)) == 3
    to(fresh, "compare plain/aaaaaaaaaa")
    fresh.press(" ")
    to(fresh, "compare plain/bbbbbbbbbb")
    fresh.press(" ")
    assert fresh.value("document.getElementById('count').textContent") == "3 of 34 runs, 2 ticked"
    assert cells(fresh, "settings") == [["train.steps", "500", "2000"]]
    assert fresh.value("document.querySelectorAll('#plot polyline').length") == 2
    assert fresh.value("document.querySelectorAll('#plot polygon').length") == 2, "bands"
    to(fresh, "plot")
    fresh.press("End")
    said = fresh.value("document.getElementById('readout').textContent")
    assert said.startswith("step 8: plain/aaaaaa 0.00625 ± 0.00083; plain/bbbbbb ")
    fresh.value("document.getElementById('search').focus()")
    fresh.type("500")
    assert rows(fresh) == ["plain\naaaaaaaaaa"]
    assert "2 ticked (1 of them not in the list)" in fresh.value("document.getElementById('count').textContent")
    to(fresh, "untick")
    fresh.press("Enter")
    assert fresh.value("document.getElementById('comparison').hidden")


@WITH_CHROMIUM
def test_stale_runs_are_marked_and_can_be_chosen(fresh):
    """The word is in the state, with the reason beside the answer and when the pointer rests on it."""
    choose = "document.getElementById('state').value = '{}'; list()"
    fresh.value(choose.format("stale"))
    assert len(rows(fresh)) == 32
    state = "document.querySelector('#runs tbody tr').cells[3]"
    assert fresh.value(f"{state}.textContent") == "done, stale"
    assert fresh.value(f"{state}.title") == "train.steps was 500 and is 2000 today"
    assert "stale: train.steps was 500" in fresh.value(f"{state}.previousSibling.textContent")
    fresh.value(choose.format("done"))
    assert len(rows(fresh)) == 33
    fresh.value(choose.format("failed"))
    assert rows(fresh) == ["plain\ncccccccccc"]
    fresh.value(choose.format(""))
    assert "stale" not in fresh.value("runs.find((run) => run.name === 'rag_dot').row.textContent")
    fresh.value("document.getElementById('search').focus()")
    fresh.type("stale plain")
    assert rows(fresh) == ["plain\naaaaaaaaaa", "plain\nbbbbbbbbbb"]


@WITH_CHROMIUM
def test_differences_are_those_of_the_terminal(fresh):
    fresh.value("for (const run of runs.filter((run) => run.name === 'plain' && run.state === 'done')) tick(run, true)")
    (loss, eta) = cells(fresh, "numbers")
    apart = np.array([OTHER[seed] - ONE[seed] for seed in OTHER])
    error = apart.std(ddof=1) / math.sqrt(apart.size)
    assert loss[:2] == ["loss, trained Transformer", f"{apart.mean():.3f} ± {error:.3f}\npaired over 4 seeds"]
    assert eta[:2] == ["eta of gradient descent", "0\nerror unknown"]
    exact = fresh.value("difference(runs.find((run) => run.hash[0] === 'a'), runs.find((run) => run.hash[0] === 'b'), 'loss.transformer')")  # fmt: skip  # noqa: E501
    assert exact[:2] == pytest.approx([apart.mean(), error], rel=1e-12)
    assert cells(fresh, "claims") == [["It is one step.", "✓ holds", "✓ holds"]]


@WITH_CHROMIUM
def test_what_is_ticked_is_in_the_address(fresh):
    address = fresh.value("location.href.split('#')[0]")
    fresh.open(f"{address}#plain%2Faaaaaaaaaa,%ff,nothing,plain%2Fcccccccccc")
    assert fresh.value("chosen.map((run) => run.id)") == ["plain/aaaaaaaaaa", "plain/cccccccccc"]


@WITH_CHROMIUM
@pytest.mark.parametrize("order", ["name", "age", "seconds", "size", "state"])
def test_every_order_can_be_turned(fresh, order):
    choose = f"document.getElementById('sort').value = '{order}'; list(); "
    fresh.value(choose)
    keys = fresh.value(f"[...document.querySelectorAll('#runs tbody tr')].map((row) => runs.find((run) => run.row === row)).map((run, at, all) => at ? orders.{order}(all[at - 1], run) : 0)")  # fmt: skip  # noqa: E501
    assert max(keys) <= 0
    first = rows(fresh)
    fresh.value("document.getElementById('turn').click()")
    assert len(rows(fresh)) == len(first)
    if order == "name":
        assert rows(fresh) == first[::-1]


@WITH_CHROMIUM
def test_texts_of_runs_stay_texts(fresh):
    fresh.value("for (const run of runs.slice(-3).concat(runs.slice(0, 4))) tick(run, true)")
    assert fresh.value("document.title") == "Runs"
    assert fresh.value("document.querySelectorAll('img').length") == 0
    assert EVIL in fresh.value("document.querySelector('#runs').textContent")


@WITH_CHROMIUM
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_and_can_be_read(fresh, width, dark):
    """Nothing reaches beyond the window but what scrolls, and every text stands out from its background."""
    fresh.look(width, dark=dark)
    fresh.value("for (const run of runs.filter((run) => run.name === 'plain' && run.state === 'done')) tick(run, true)")
    assert fresh.value("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    difference = fresh.value("document.querySelector('#numbers tbody td:nth-child(2)').getBoundingClientRect().right")
    assert difference <= width, "what is asked for is seen without scrolling"
    contrasts = fresh.value("""(() => {
      const light = (colour) => {
        const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
          .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const paper = light(getComputedStyle(document.body).backgroundColor);
      const ratio = (colour) => (Math.max(light(colour), paper) + 0.05) / (Math.min(light(colour), paper) + 0.05);
      return [...document.querySelectorAll("p, td, th, b, a, span, label, h1, h2, h3")]
        .map((node) => ratio(getComputedStyle(node).color));
    })()""")
    assert min(contrasts) >= 4.5
    assert fresh.value("getComputedStyle(document.body).backgroundColor") == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")  # fmt: skip  # noqa: E501
