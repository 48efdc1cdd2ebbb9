"""What all figures have in common, of every figure that has kept tables, for screens and for a paper."""

import contextlib
import math
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.text import Text

from analysis import figures
from analysis.figures import for_paper, style
from analysis.figures.finding import finding, headed
from analysis.figures.grids import COLUMN, COLUMNS, designed
from analysis.figures.legends import MOST
from analysis.figures.narrow import on_paper
from analysis.figures.titles import present
from analysis.findings.kept import Kept
from analysis.tables.select import NotMeasured
from lab.errors import UserError
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory
from tests.analysis.runs import RESULTS

KEPT = [name for name in figures.names() if (RESULTS / name).is_dir()]
QUICK = ("retrieval_cost", "dti_cost", "recommend_log")
EACH = [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in KEPT]
STATEMENT = (
    "A sentence that is longer than a line of a figure, as statements of claims are, and that has to be wrapped. " * 2
)
LESS = ("layer ", "eta ", "mean")  # labels of a scale of colours, of two kinds of rates, and of means of two things


def drawn(name: str):
    """The figure, or a skip where the kept tables lack what it draws."""
    try:
        return figures.load(name).draw(Kept(RESULTS / name))
    except (NotMeasured, UserError) as error:
        pytest.skip(str(error))


@contextlib.contextmanager
def arranged(name: str, form: str):
    """Yield the figure and its panels as it was designed, in a form; for screens with a long title."""
    paper = form == "paper"
    with (
        style.paper(),
        style.closed(),
        on_paper() if paper else contextlib.nullcontext(),
        matplotlib.rc_context(for_paper.FONTS) if paper else contextlib.nullcontext(),
    ):
        figure = drawn(name)
        headed(figure, "" if paper else STATEMENT)
        style.arrange(figure)
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()  # all that is computed, and no pixel
        grid = designed(figure)
        assert grid is not None
        yield figure, [present(row) for row in grid]


@pytest.mark.parametrize("form", ["screen", "paper"])
@pytest.mark.parametrize("name", EACH)
def test_a_figure_is_whole_and_consistent(name, form):
    """Nothing is cut off, panels have titles, legends are short, and a row has one scale for one quantity."""
    with arranged(name, form) as (figure, rows):
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert min(box.x0, box.y0) > -0.05
        assert max(box.x1 - width, box.y1 - height) < 0.05
        if form == "paper":
            assert width in (COLUMN, COLUMNS)
        legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
        assert all(len(legend.get_texts()) <= MOST for legend in legends)
        for row in rows:
            limits = {}
            for panel in row:
                assert panel.get_title() or panel.get_title(loc="left")
                if panel.get_ylabel():
                    limits.setdefault((panel.get_ylabel(), panel.get_yscale()), set()).add(panel.get_ylim())
                check_ratios(panel)
            assert all(len(several) == 1 for several in limits.values())


def check_ratios(panel):
    """Learning rates, and values that are all powers of two, stand at equal distances of their logarithms."""
    values = {float(x) for line in panel.get_lines() for x in np.atleast_1d(line.get_xdata()) if np.isreal(x)}
    values = sorted(value for value in values if math.isfinite(value))
    powers = len(values) > 2 and values[0] > 0 and all(math.log2(value).is_integer() for value in values)
    if powers or "rate" in panel.get_xlabel().split():
        assert panel.get_xscale() == "log", panel.get_xlabel()


def colour(handle: Any) -> str:
    if isinstance(handle, ErrorbarContainer):
        handle = handle.lines[0]
    if isinstance(handle, BarContainer):
        handle = handle.patches[0]
    value: Any = handle.get_color() if hasattr(handle, "get_color") else handle.get_facecolor()
    return to_hex(value if isinstance(value, str) or np.ndim(value) == 1 else value[0])


@pytest.mark.slow
def test_a_label_has_one_colour_in_all_figures():
    """That of its learner, where it is one's."""
    colours = {role.label: {to_hex(role.colour)} for role in ROLES.values()}
    for name in KEPT:
        with style.paper(), style.closed(), contextlib.suppress(pytest.skip.Exception):
            for panel in drawn(name).axes:
                for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
                    colours.setdefault(label, set()).add(colour(handle))
    several = {label: each for label, each in colours.items() if len(each) > 1 and not label.startswith(LESS)}
    assert not several


def verdict(statement: str, outcome: str, **more) -> dict:
    return {"statement": statement, "outcome": outcome, **more}


@pytest.mark.parametrize(
    ("claims", "title"),
    [
        ([], ""),
        ([verdict("A.", "undecided"), verdict("B.", "not measured"), verdict("C.", "not reached")], ""),
        ([verdict("A.", "no difference")], ""),
        ([verdict("A.", "undecided"), verdict("B.", "holds"), verdict("C.", "holds")], "B."),
        ([verdict("A.", "does not hold"), verdict("B.", "holds")], "It does not hold: A."),
        ([verdict("A.", "holds", point="first")], ""),
    ],
)
def test_the_title_is_what_a_verdict_says(claims, title):
    """No decided claim gives no title; verdicts on a sweep's points are no title of the sweep."""
    assert finding(claims) == title


def test_a_caption_is_text_to_latex():
    text = for_paper.latex("x_paper", "50% of $x_1$.", "A & B~{c}^2\\.", "*")
    assert (
        r"\caption{\textbf{50\% of \$x\_1\$.} A \& B\textasciitilde{}\{c\}\textasciicircum{}2\textbackslash{}.}" in text
    )
    assert text.startswith("\\begin{figure*}")
    assert "\\includegraphics{x_paper}" in text
    assert "\\label{fig:x}" in text


@pytest.mark.usefixtures("drawn")
def test_a_paper_s_file_has_its_fonts_and_letters_of_eight_points(tmp_path):
    """TrueType fonts, of which publishers take no others; no letter is smaller than five points."""
    with arranged("retrieval_cost", "paper") as (figure, _):
        style.save(figure, RunDirectory(tmp_path), "x_paper", ("png", "pdf"))
        sizes = {text.get_fontsize() for text in figure.findobj(Text) if text.get_text() and text.get_visible()}
        assert {panel.title.get_fontsize() for panel in figure.axes} == {8.0}
        assert min(sizes) >= 5
    pdf = (tmp_path / "figures" / "x_paper.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert not (tmp_path / "figures" / "x_paper.svg").exists()
