"""Runs, sweeps and sweeps of sweeps of a kind that nobody knows: tables, figures, report and terminal."""

import shutil

import pytest

from analysis import figures
from analysis.figures.claim import Claim
from analysis.figures.controls import by_place
from analysis.figures.estimates import exact
from analysis.figures.evidence import below
from analysis.report import terminal
from analysis.report.blocks import Number, Table
from analysis.report.present import present
from analysis.report.redraw import redraw
from analysis.tables.gather import PointDirectory
from analysis.tables.select import table
from lab.errors import ConfigError, UserError
from lab.runs.directory import RunDirectory
from tests.analysis import runs
from tests.page import Page, check_page

FORMS = (".png", ".svg", ".pdf", "_narrow.svg")  # the files of a figure


def fall(rows):
    return rows[-1]["height"] - rows[0]["height"]


class Heights:
    """A figure of one's own."""

    CAPTION = "The height of the ball against the time since it was dropped."
    CLAIMS = (
        Claim(
            statement="The ball comes down.",
            source="gravity",
            criterion="the last height is below the first",
            judge=lambda directory: [below("last - first", exact(fall(table(directory, "heights"))))],
        ),
    )

    @staticmethod
    def draw(directory):
        from analysis.figures import style

        figure, axes = style.panels(1, 1, width=3, height=2)
        rows = table(directory, "heights")
        axes[0][0].plot([row["time"] for row in rows], [row["height"] for row in rows])
        return figure


@pytest.fixture
def own_figure(monkeypatch):
    monkeypatch.setattr(figures, "FIGURES", dict(figures.FIGURES))
    figures.register("heights", Heights)


def page_of(directory):
    return (directory.path / "report.html").read_text()


def drawn(directory):
    return {path.name: path.read_bytes() for path in (directory.path / "figures").iterdir()}


def files(directory):
    return {path: path.read_bytes() for path in directory.path.rglob("*") if path.is_file()}


def test_the_table_of_figures(own_figure):
    assert {"training", "speed", "sweep", "points", "fig1", "heights"} <= set(figures.names())
    for name in figures.names():
        figure = figures.load(name)
        assert len(figure.CAPTION) > 20
        assert callable(figure.draw)
    assert figures.needs_points("fig1")
    assert not figures.needs_points("heights")
    figures.register("heights", Heights)  # the same again changes nothing
    with pytest.raises(ConfigError, match="figure=training: there is a figure of this name"):
        figures.register("training", Heights)
    with pytest.raises(ConfigError, match=r"figure=nosuch: no such figure; allowed: points, .*heights, .*training"):
        figures.load("nosuch")


@pytest.mark.usefixtures("drawn")
def test_a_run_of_an_unknown_kind(tmp_path, own_figure, capsys):
    rows = [{"time": i, "height": 1.123456789 / (1 + i)} for i in range(40)]
    directory = runs.run(tmp_path / "run", {"bounces": 12.3456789, "bounces.stderr": 0.25}, rows, figure="heights")
    check_page(directory.path / "report.html")
    page = page_of(directory)
    for text in ("12.35 ± 0.25", "Note: a note", "1.1235", "The ball comes down", "holds", "python run.py run.force"):
        assert text in page
    assert set(drawn(directory)) == {f"heights{form}" for form in FORMS}
    terminal.results(directory)
    printed = capsys.readouterr().out
    for text in ("bounces", "12.35±0.25", "holds: The ball comes down.", "note: a note", "report.html", "again:"):
        assert text in printed

    before = files(directory)
    redraw([f"report={directory.path}"])
    assert files(directory) == before


def test_a_long_table_is_a_link(tmp_path):
    directory = runs.run(tmp_path / "run", {}, [{"time": i, "height": 0.5} for i in range(41)])
    assert '<a href="./heights.csv">heights.csv</a>' in page_of(directory)
    assert "<td>40</td>" not in page_of(directory)


def test_a_figure_that_lacks_its_tables_leaves_a_note(tmp_path):
    directory = runs.run(tmp_path / "run", {"bounces": 1.0}, [{"time": 0, "height": 1}], figure="training")
    assert drawn(directory) == {}
    note = "the figure training could not be drawn: there is no curves.csv, or it has no rows"
    assert directory.read_summary()["notes"] == ["a note", note]
    present(directory)
    assert directory.read_summary()["notes"] == ["a note", note], "said once"
    points = runs.drops(tmp_path / "sweep")
    for asked in sorted({*figures.FIGURES} - {"points"}):
        sweep = runs.sweep(tmp_path / asked, points, figure=asked)
        assert set(drawn(sweep)) == {"points.png", "points_narrow.png", "points.pdf"}
        notes = sweep.read_summary()["notes"]
        assert len(notes) == 1 + figures.needs_points(asked), "that of one run is no wish of a sweep"
        assert all("points was drawn instead" in note for note in notes[1:])
        assert all(claim["holds"] is None for claim in sweep.read_summary()["claims"])


def test_points_of_any_kind_in_one_table(tmp_path):
    directory = runs.bounces(tmp_path / "sweep", failing=True)
    rows = directory.read_text_table("points")
    columns = ["point", "part", "drop.height", "air.density", "run", "state", "bounces", "bounces.stderr"]
    assert list(rows[0]) == [*columns, "seconds", "noise"]
    assert [row["state"] for row in rows] == ["done"] * 5 + ["failed"]
    assert (rows[0]["drop.height"], rows[0]["air.density"], rows[0]["bounces"]) == ("1", "1.2", "10.0")
    assert rows[0]["run"] == "sweep_rubber1"
    assert rows[5]["bounces"] == ""
    assert list(directory.points()) == [row["point"] for row in rows[:5]]
    heights = directory.read_text_table("heights")
    assert list(heights[0]) == ["part", "drop.height", "time", "height"]
    assert len(heights) == 2 * 5
    summary = directory.read_summary()
    assert summary["tables"] == ["points", "heights"]
    assert summary["failed"] == {"glass, height=3": "it broke"}
    assert summary["seconds"] == {"total": 10.0}
    assert (summary["axes"], summary["drawn"]) == (["part", "drop.height"], "points")


def test_the_report_of_a_sweep_of_an_unknown_kind(tmp_path, capsys):
    directory = runs.bounces(tmp_path / "sweep", failing=True)
    check_page(directory.path / "report.html")
    for text in ("30.00 ± 0.50", "Failed: glass, height=3: it broke", "../sweep_glass1/report.html", "1e-12"):
        assert text in page_of(directory)
    terminal.results(directory)
    printed = capsys.readouterr().out
    for text in ("rubber, height=3", "30.00±0.50", "failed: glass, height=3: it broke", "points.csv"):
        assert text in printed


@pytest.mark.parametrize("width", [50, 80, 200])
def test_no_number_is_cut_off_in_a_narrow_terminal(width, monkeypatch, capsys):
    """Columns that do not fit beside one another follow below, each part with its points."""
    monkeypatch.setattr(terminal.CONSOLE, "_width", width)
    numbers = [[Number(10.0**-row * (1 + column / 7), 10.0 ** -(row + 4)) for column in range(6)] for row in range(2)]
    heads = ("point", *(f"error of a learner,\nnumber {column}" for column in range(6)))
    rows = [(f"depth=2, clip={row}", *cells) for row, cells in enumerate(numbers)]
    terminal._print(Table("All of them", heads, rows))
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= width
    for cells in numbers:
        assert all(cell.text(4, narrow=True) in printed for cell in cells)
    parts = printed.count("depth=2, clip=0")
    assert parts == printed.count("depth=2, clip=1") == printed.count("point")
    assert (parts == 1) == (width == 200)
    assert printed.count("All of them") == 1


def test_names_of_rows_stay_in_one_line_of_a_terminal(monkeypatch, capsys):
    """Although the numbers would fit beside one another if names were broken."""
    monkeypatch.setattr(terminal.CONSOLE, "_width", 80)
    name = "constructed Transformer"
    terminal._print(Table("", ("learner", *"abc"), [(name, *[Number(0.999824, 1.5e-6)] * 3)]))
    assert capsys.readouterr().out.count(name) == 2, "in both parts of the table"


def test_a_sweep_without_a_number_has_a_report(tmp_path):
    broken = RunDirectory(tmp_path / "broken")
    broken.fail("it broke")
    directory = runs.sweep(tmp_path / "sweep", [PointDirectory("glass", {"part": "glass"}, {}, broken)])
    assert "Failed: glass: it broke" in page_of(directory)
    assert directory.read_summary()["drawn"] is None


def paper(path):
    """A sweep of two sweeps, of a run, and of one that never began."""
    points = [
        PointDirectory("rubber and glass", {"part": "both"}, {}, runs.bounces(path / "both" / "abc")),
        PointDirectory("broken", {"part": "broken"}, {}, runs.bounces(path / "broken" / "abc", failing=True)),
        PointDirectory("alone", {"part": "alone"}, {}, heights(path / "alone" / "abc")),
        PointDirectory(
            "lost", {"part": "lost"}, {}, RunDirectory(path / "lost" / "abc"), "python run.py lost", "heights"
        ),
    ]
    return runs.sweep(path / "paper" / "abc", points, figure="")


def heights(path):
    return runs.run(path, {"bounces": 7.5}, [{"time": 0, "height": 1}, {"time": 1, "height": 0.5}], figure="heights")


def test_a_sweep_of_sweeps(tmp_path, own_figure, capsys):
    directory = paper(tmp_path / "runs")
    check_page(directory.path / "report.html")
    summary = directory.read_summary()
    assert [(claim["point"], claim["holds"], claim["why"]) for claim in summary["claims"]] == [
        ("alone", True, ""),
        ("lost", None, "it was not run"),
    ]
    assert summary["failed"] == {"broken": "it broke", "lost": "it was not run"}
    assert {row["run"] for row in directory.read_text_table("points")} >= {"../both/abc", "../alone/abc"}
    copies = {path.name for path in directory.path.glob("*.csv")}
    assert {"rubber_and_glass_points.csv", "broken_heights.csv", "alone_heights.csv"} < copies
    assert {"rubber_and_glass_points.png", "alone_heights.pdf"} < set(drawn(directory))
    for kind in ("html", "md"):
        text = (directory.path / f"report.{kind}").read_text()
        for words in (
            "The ball comes down",
            "30.00 ± 0.50",
            "it broke",
            "python run.py lost",
            "1 of 2 claims hold, 1 without a verdict",
        ):
            assert words in text
    page = page_of(directory)
    assert page.index("The ball comes down") < page.index('<section id="rubber_and_glass"'), "claims come first"
    terminal.results(directory)
    printed = capsys.readouterr().out
    for text in ("rubber and glass", "holds: alone: The ball comes down.", "not measured: lost: ", "report.md"):
        assert text in printed


@pytest.mark.slow
@pytest.mark.usefixtures("drawn")
def test_a_sweep_of_sweeps_is_drawn_again_with_its_points_and_can_be_sent(tmp_path, own_figure):
    directory = paper(tmp_path / "runs")
    everything = {path: path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file()}
    for path in everything:
        if path.suffix in (".png", ".svg", ".pdf", ".html", ".md") and not path.name.startswith(("heights", "report")):
            path.unlink()
    redraw([f"report={directory.path}"])
    assert {path: path.read_bytes() for path in everything} == everything
    assert len(check_page(directory.path / "report.html").ids) > 20, "those of the figures too, each once"

    sent = tmp_path / "sent" / "to" / "somebody"
    shutil.copytree(directory.path, sent)
    before = (sent / "report.html").read_bytes()
    with pytest.raises(UserError, match=r"not where points.csv says.*rubber and glass"):
        redraw([f"report={sent}"])
    assert (sent / "report.html").read_bytes() == before
    outer = runs.sweep(
        tmp_path / "runs" / "outer" / "abc", [PointDirectory("inner", {"part": "inner"}, {}, directory)], name="outer"
    )
    assert [claim["point"] for claim in outer.read_summary()["claims"]] == ["inner: alone", "inner: lost"]
    assert not Page(page_of(outer)).wrong


PLACES = [{"part": "small"}, {"part": "large", "sigma": "0.2"}, {"part": "large", "sigma": "0.3"}]


def test_all_places_come_first_and_tell_the_points_apart(tmp_path):
    points = []
    for number, place in enumerate(PLACES):
        directory = runs.run(tmp_path / f"run{number}", {}, [{"step": 0, "height": number}, {"step": 1, "height": 0}])
        points.append(PointDirectory(f"point {number}", place, {}, directory))
    rows = table(runs.sweep(tmp_path / "sweep", points), "heights")
    assert [*rows[0]] == ["part", "sigma", "step", "height"]
    assert [len(group) for group in by_place(rows).values()] == [2, 2, 2]
    assert [group[0]["height"] for group in by_place(rows).values()] == [0.0, 1.0, 2.0]


def test_a_point_all_of_whose_seeds_diverged_has_their_steps_and_no_other_row(tmp_path):
    done = runs.run(tmp_path / "done", {}, [{"step": 0, "height": 1}])
    failed = RunDirectory(tmp_path / "failed")
    failed.path.mkdir()
    failed.write_table("diverged", [{"seed": 0, "step": 7, "why": "the loss became nan"}])
    failed.write_table("heights", [{"step": 0, "height": 2}])
    failed.fail("the loss became nan")
    points = [PointDirectory(name, {"part": name}, {}, each) for name, each in (("a", done), ("b", failed))]
    sweep = runs.sweep(tmp_path / "sweep", points)
    assert table(sweep, "diverged") == [{"part": "b", "seed": 0.0, "step": 7.0, "why": "the loss became nan"}]
    assert [row["part"] for row in table(sweep, "heights")] == ["a"]
    assert sweep.read_summary()["failed"] == {"b": "the loss became nan"}
