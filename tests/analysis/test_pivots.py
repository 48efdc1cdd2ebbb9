"""Tables between the marks of a page: means and errors by hand, and what a mark refuses."""

import statistics

import pytest

from analysis.findings import pivots
from analysis.tables.select import NotMeasured
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from tests.command_line import ROOT

DOCS = ROOT / "docs"
ROWS = [
    {"seed": seed, "eta": eta, "way": way, "gain": 0.1 * seed + shift, "lost": 5.0}
    for seed in range(3)
    for eta in (0.01, "")
    for way, shift in (("one_way", 0.0), ("other", 1.0))
]
WORDS = "a_figure/gains | rows: way | columns: eta | values: gain | where: eta = -, .01; way = other, one_way"


@pytest.fixture
def results(tmp_path):
    RunDirectory(tmp_path / "a_figure").path.mkdir()
    RunDirectory(tmp_path / "a_figure").write_table("gains", ROWS)
    return tmp_path


def page(words):
    return f"Before.\n\n<!-- kept: {words} -->\nold\n<!-- end of kept -->\n\nAfter.\n"


def test_cells_are_means_over_seeds_with_their_errors(results):
    text = pivots.filled(page(WORDS), results)
    error = statistics.stdev([0.0, 0.1, 0.2]) / 3**0.5
    assert f"{error:.2f}" == "0.06"
    assert text.splitlines()[4:8] == [
        "| way | - | 0.01 |", "| --- | --- | --- |", "| other | 1.10 ± 0.06 | 1.10 ± 0.06 |",
        "| one way | 0.10 ± 0.06 | 0.10 ± 0.06 |",
    ]  # fmt: skip
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert pivots.filled(text, results) == text


def test_several_values_and_labels(results):
    words = (
        "a_figure/gains | rows: way | values: gain, lost | where: eta = .01 | labels: lost = what is lost; other = B"
    )
    lines = pivots.filled(page(words), results).splitlines()
    assert lines[4] == "| way | gain | what is lost |"
    assert lines[7].startswith("| B | 1.10 ± 0.06 | ")


def test_equal_numbers_have_no_error(tmp_path):
    """The deviation of three times .35 from their mean is 4e-17, which is rounding."""
    RunDirectory(tmp_path / "a_figure").path.mkdir()
    rows = [{"seed": seed, "way": "one", "gain": 0.35} for seed in range(3)]
    RunDirectory(tmp_path / "a_figure").write_table("gains", rows)
    text = pivots.filled(page("a_figure/gains | rows: way | values: gain"), tmp_path)
    assert "| one | 0.35 |" in text


def test_what_is_not_kept_is_said(results):
    assert "*`other`: no table is kept.*" in pivots.filled(page(WORDS.replace("a_figure", "other")), results)
    assert "there is no column loss" in pivots.filled(page(WORDS.replace("gain |", "loss |")), results)
    assert "no row is selected" in pivots.filled(page(WORDS.replace("-, .01", "3")), results)
    with pytest.raises(NotMeasured):
        pivots.lines(pivots.read(WORDS), [])


@pytest.mark.parametrize(
    "words", ["a_figure | rows: way | values: gain", "a/b | rows: way", "a/b | rows: way | values: gain | sort: way"]
)
def test_a_mark_that_cannot_be_read_is_refused(words):
    with pytest.raises(UserError, match="kept: "):
        pivots.read(words)


def test_rows_that_are_not_told_apart_are_refused(results):
    with pytest.raises(UserError, match="several rows of one seed"):
        pivots.filled(page("a_figure/gains | rows: way | values: gain"), results)


@pytest.mark.parametrize("path", [path for path in sorted(DOCS.glob("*.md")) if "<!-- kept: " in path.read_text()])
def test_the_tables_of_a_page_are_those_that_are_kept(path):
    """A number that changes in a kept table is told here by its page."""
    text = path.read_text(encoding="utf-8")
    assert text.count("<!-- kept: ") == text.count("<!-- end of kept -->") == len(pivots.MARK.findall(text))
    assert pivots.filled(text, DOCS / "results") == text, "run `make findings`"
