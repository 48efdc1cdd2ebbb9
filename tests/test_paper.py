"""The paper, a sweep of sweeps, on a tiny budget: every figure's experiment, its report, and reports drawn again."""

import itertools
import re
import shutil
from typing import Any

import pytest

from analysis.report.blocks import number
from lab.config.compose import compose
from lab.config.multirun import commands
from lab.config.points import point, programs
from tests import browser
from tests.browser import WITH_CHROMIUM
from tests.command_line import TINY, check_refused, lab_here, lab_once, python, ran
from tests.page import check_page
from tests.run_files import check_experiment, corners, summary_of, table
from tests.sketch import once
from tests.test_golden import check_tables

WITHOUT_FILES = {"LAB_DATA_DIR": "", "XDG_CACHE_HOME": "/nowhere"}
CALORIES_AND_WINE = 'grid=["data=calories,wine"]'
THREE_FOR_FIVE = "parts.layers_5=[model.num_layers=3,model.clip=10.0]"  # layers, as these compile sooner


def part(name: str, *words: str, title: str = "") -> str:
    """A word that gives a part of the paper other words."""
    listed = ",".join(f"'{word}'" for word in (f"experiment={name}", *words))
    return f"{'+' if title else ''}parts.{title or name}=[{listed}]"


TINY_PAPER = [
    "experiment=rag_gd",
    "size=quick",
    part("fig2", *corners("fig2"), "shift.alpha=[0.5,2]"),
    *(part(name, *corners(name), THREE_FOR_FIVE) for name in ("fig3", "fig5")),
    part("fig4", "data=diabetes", *corners("fig4", fixed=("data",))),
    part("fig6", CALORIES_AND_WINE),  # whose files are not there
    part("fig6", "data=diabetes", *corners("fig6", fixed=("data",)), title="fig6_of_diabetes"),
    *TINY,
]
TWO_FIGURES = [
    "experiment=rag_gd",
    "size=quick",
    *(f"~parts.fig{number}" for number in range(2, 6)),
    part("fig6", CALORIES_AND_WINE),
]


def test_a_paper_is_an_experiment_for_each_figure(tmp_path):
    files = f"data.dir={tmp_path}"
    paper: Any = point(["experiment=rag_gd", "size=quick", "seed=3", files, "train.steps=7", "run.dir=there"])
    assert [each.name for each in paper.points] == [f"fig{number}" for number in range(1, 7)]
    for each in paper.points:
        settings = each.settings
        assert (settings.name, settings.seed, settings.train.steps, settings.run.dir) == (each.name, 3, 7, "there")
        assert each.points, "a sweep of its own"
        assert (files in each.words) == (each.name in ("fig4", "fig6")), (
            "words about data go to figures of tables alone"
        )
    assert all(run.settings.train.steps == 7 for run in paper.runs), "the command line's word, not the part's"


def test_the_full_paper_has_more_seeds_and_steps():
    quick, full = (compose(["experiment=rag_gd", *size]).parts for size in (["size=quick"], []))
    assert {*quick} <= {*full}
    for name in quick:
        each: list[Any] = [compose(words) for words in (quick[name], full[name], [f"experiment={name}"])]
        short, long, alone = each
        assert short.seeds == 1, "no verdict, but every figure"
        assert long.seeds >= 3
        assert long.train.steps == alone.train.steps
        if name in ("fig4", "fig6"):  # of tables: more steps learn them by heart
            assert short.train.steps == alone.train.steps
        else:
            assert short.train.steps < alone.train.steps


def check_reasons(claims: list[dict]) -> None:
    """Of figure 6 without its files: nothing is judged, and each claim says what to get from where."""
    assert claims
    for claim in claims:
        assert claim["holds"] is None
        assert not claim["measured"]
    why = " ".join(claim["why"] for claim in claims)
    for text in ("calories/exercise.csv", "winequality-white.csv", "get it from https://", "data.dir=DIRECTORY"):
        assert text in why


def test_a_launcher_gets_every_program_of_a_paper():
    words = [*TWO_FIGURES, "launcher=joblib"]
    job, gather = commands(["-m", *words])
    count = len(programs(point(TWO_FIGURES).runs))
    assert job[-1] == f"sweep.program={','.join(map(str, range(count)))}"
    assert "launcher=joblib" in job
    assert gather == [*TWO_FIGURES, "sweep.stage=gather"]


def drawn_again(path):
    """Whether it is the directory of figure 1, or that of its run with documents."""
    return "fig1" in path.parts and ((path / "points.csv").exists() or "rag_dot" in (path / "config.yaml").read_text())


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """(what it said, the paper's directory, that of each figure). Tests must not change them. Figure 1 and all figures
    of one of its runs are drawn, since they are drawn again below, and one of each kind of the others."""
    first = once()

    def drawn(directory, name):
        return drawn_again(directory.path) or first(directory, name)

    done, folder = lab_once(tmp_path_factory, "paper", TINY_PAPER, drawn, **WITHOUT_FILES)
    (directory,) = folder.glob("runs/rag_gd/*")
    return done, directory, {row["point"]: directory.parent / row["run"] for row in table(directory, "points")}


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["fig1", "fig2", "fig3", "fig4", "fig5", "fig6_of_diabetes"])
def test_every_figure_keeps_what_is_promised(figure, paper):
    _, _, directories = paper
    of_files = figure in ("fig4", "fig6_of_diabetes")  # the claims are about data sets that a test must not download
    check_experiment(directories[figure], figure.removesuffix("_of_diabetes"), measured=not of_files)
    if of_files:
        tables = {name: (directories[figure] / f"{name}.csv").read_text() for name in ("seeds", "inputs")}
        headers = {name: {*text.splitlines()[0].split(",")} for name, text in tables.items()}
        metrics = {"prediction_l2", "sensitivity_cosine_z", "sensitivity_l2_z", "loss_difference", "loss.common"}
        assert metrics | {"data.normalization", "seed", "loss"} <= headers["seeds"], "what claims are made of"
        assert {"data.normalization", "median", "skewness"} <= headers["inputs"]


@pytest.mark.slow
def test_the_tables_of_figure_2_are_those_of_before(paper):
    check_tables("fig2", paper[2]["fig2"])


@pytest.mark.slow
def test_a_paper_has_a_verdict_or_a_reason_for_every_claim(paper):
    done, directory, directories = paper
    assert done.returncode == 1
    assert done.stderr.startswith("error: 1 of 7 points failed, the others are kept: fig6: ")
    assert done.stderr.count("\n") == 1
    assert not (directory / "DONE").exists()
    summary = summary_of(directory)
    claims = {
        name: [claim for claim in summary["claims"] if re.match(rf"{name}\b", claim["point"])] for name in directories
    }
    assert all(claim["measured"] and claim["why"] == "one seed, no verdict" for claim in claims["fig1"])
    check_reasons(claims["fig6"])
    check_page(directory / "report.html")
    text = (directory / "report.md").read_text()
    for claim in summary["claims"]:
        assert claim["statement"] in text
    for run in summary_of(directories["fig1"])["points"].values():
        for name in ("sensitivity_cosine", "prediction_l2", "loss_difference"):
            assert number(run["numbers"], f"gradient_descent.{name}").text(5) in text
    for link in re.findall(r"\]\(([^)]*)\)", text):
        assert (directory / link).exists()


@pytest.mark.slow
@pytest.mark.usefixtures("drawn")
def test_figures_and_reports_are_drawn_again_from_tables_alone(paper, tmp_path):
    """A paper of two figures, in a copy of the folder, where what it needs is done already."""
    shutil.copytree(paper[1].parents[1], tmp_path / "runs")
    shutil.rmtree(tmp_path / "runs" / "rag_gd")
    done = lab_here(*TWO_FIGURES, *TINY, cwd=tmp_path, **WITHOUT_FILES)
    assert "already done" in done.stdout
    (directory,) = tmp_path.glob("runs/rag_gd/*")
    again = [folder for folder in tmp_path.glob("runs/fig1/*") if drawn_again(folder)]
    assert len(again) == 2
    drawn = [
        path
        for folder in (directory, *again)
        for path in folder.rglob("*")
        if path.suffix in (".png", ".pdf", ".html", ".md", ".json")
    ]
    before = {path: path.read_bytes() for path in drawn}
    for path in drawn:
        if path.suffix != ".json":
            path.unlink()
    words = ["report=" + ",".join(f"{str(folder.relative_to(tmp_path))[:-3]}*" for folder in (directory, *again))]
    code = f"import sys; sys.argv = ['run.py', {words[0]!r}]; import run; run.main(); sys.exit('jax' in sys.modules)"
    done = python("-c", code, cwd=tmp_path)
    assert done.stdout.count("report.html") == 1 + len(again)
    assert {path: path.read_bytes() for path in drawn if path.exists()} == before

    ran(f"report={directory.name}", cwd=directory.parent)
    sent = tmp_path / "sent" / "to" / "somebody"
    shutil.copytree(directory, sent)
    alone = lab_here(f"report={sent}", cwd=tmp_path)
    assert alone.returncode == 1
    assert "are not where points.csv says" in alone.stderr
    for path in (directory, sent):
        assert (path / "report.html").read_bytes() == before[directory / "report.html"]


def test_a_report_of_nothing_is_one_line(tmp_path):
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "config.yaml").touch()
    for word, why in (("report=nowhere", "no run's directory"), ("report=unfinished", "not come to its end")):
        done = lab_here(word, cwd=tmp_path)
        check_refused(done, why)


@pytest.mark.slow
@WITH_CHROMIUM
def test_reports_fit_into_screens_of_any_width(paper, tmp_path):
    """Those of the paper, of a sweep and of a run with all its figures; nothing is said in the console."""
    _, directory, directories = paper
    run = next(
        path
        for path in directory.parents[1].glob("fig1/*/report.html")
        if path.parent.name != directories["fig1"].name and drawn_again(path.parent)
    )
    pages, widths = [directory / "report.html", directories["fig3"] / "report.html", run], (1200, 390)
    results, console = browser.shown(pages, widths, tmp_path)
    assert not console
    for result, (_, width) in zip(results, itertools.product(pages, widths), strict=True):
        assert result["width"] == width, "no scrolling of the page as a whole"
        assert not result["beyond"]
        assert result["pictures"]
        assert min(result["pictures"]) > 0, "all are there"
        assert (result["pictures"][0] < 640) == (width < 640), "the form for narrow screens"
        assert result["buttons"], "the script ran: tables sort"
