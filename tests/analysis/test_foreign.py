"""Directories that somebody else made: nothing in one is executed, and what it holds is shown as text."""

import json
from typing import Any

import pytest

from analysis.report.redraw import redraw
from analysis.tables.gather import PointDirectory
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from tests.analysis import runs


@pytest.fixture
def directory(tmp_path):
    return runs.run(tmp_path / "runs" / "name" / "abc", {"bounces": 1.0}, [{"time": 0, "height": 1}]).path


@pytest.fixture
def sweep(tmp_path):
    return runs.bounces(tmp_path / "runs" / "name" / "abc").path


@pytest.fixture
def nested(tmp_path):
    """A sweep of two sweeps, in a folder of their own each."""
    parts = [PointDirectory(name, {"part": name}, {}, runs.bounces(tmp_path / "runs" / name / "abc")) for name in "xy"]
    return runs.sweep(tmp_path / "runs" / "paper" / "abc", parts, figure="").path


def test_sweeps_that_are_points_of_one_another(tmp_path, nested):
    """The inner one says that the outer one is a point of it."""
    inner, outer = RunDirectory(tmp_path / "runs" / "x" / "abc"), RunDirectory(nested)
    row = inner.read_text_table("points")[0] | {"point": "outer", "run": "../paper/abc"}
    inner.write_table("points", [row])
    inner.write_summary(inner.read_summary() | {"points": {"outer": outer.read_summary()}})
    with pytest.raises(UserError, match="runs/paper/abc is a point of itself"):
        redraw([f"report={nested}"])


def test_sweeps_that_name_the_same_points_again_and_again_are_drawn_once(tmp_path, monkeypatch):
    """Of twelve levels that name the next one twice, the last would be drawn 4,096 times."""
    last = runs.bounces(tmp_path / "runs" / "level" / "12")
    for level in reversed(range(12)):
        twice = [PointDirectory(name, {"part": name}, {}, last) for name in "ab"]
        path = tmp_path / "runs" / "level" / str(level)
        last = runs.started(path)
        rows = [{"point": point.name, "run": point.directory.path.name} for point in twice]
        last.write_table("points", rows)
        shallow = point_summary(twice[0].directory)
        last.write_summary(shallow | {"points": {point.name: shallow for point in twice}})
    drawn = []
    monkeypatch.setattr("analysis.report.redraw.present", lambda directory: drawn.append(directory.path.name))
    redraw([f"report={last.path}"])
    assert drawn == [str(level) for level in reversed(range(13))]


def point_summary(directory):
    """A sweep's summary whose points have none of their own."""
    return directory.read_summary() | {"points": {"inner": {"points": {}}}, "unfinished": {}, "tables": ["points"]}


@pytest.mark.parametrize("name", ["heights.csv", "report.html", "summary.json"])
def test_a_folder_in_place_of_a_file(name, directory):
    (directory / name).unlink()
    (directory / name).mkdir()
    with pytest.raises(UserError, match=f"{name}|IsADirectoryError") as error:
        redraw([f"report={directory}"])
    assert str(error.value).isprintable()


def test_texts_are_shown_as_texts(sweep):
    """Whatever stands in a summary, a table, the settings or the environment, no element of a page comes of it."""
    bad = "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>"
    own = RunDirectory(sweep)
    claim = {"statement": bad, "source": bad, "criterion": bad, "measured": {bad: 1.0}, "errors": {bad: 0.1}}
    texts = {"experiment": bad, "command": bad, "notes": [bad], "settings": {bad: bad}, "seconds": {bad: 1.0}}
    summary: dict[str, Any] = own.read_summary() | texts | {"failed": {bad: bad}}
    for point in summary["points"].values():
        point |= texts | {"numbers": {bad: 1.0}, "claims": [claim | {"holds": True, "why": bad, "otherwise": bad}]}
    own.write_summary(summary)
    own.write_table("heights", [{bad: bad}])
    own.write_text("config.yaml", json.dumps({"note": bad}))
    own.write_text("environment.json", json.dumps({"devices": [bad], "cpus": bad, bad: bad}))
    redraw([f"report={sweep}"])
    page = (sweep / "report.html").read_text()
    assert page.count("alert(1)") > 50
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "</pre></details><" not in page


def test_a_file_that_its_settings_and_its_command_name_is_not_executed(directory, tmp_path, capsys):
    mine, own = tmp_path / "mine.py", RunDirectory(directory)
    mine.write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    own.write_text("config.yaml", json.dumps(own.read_config() | {"use": str(mine)}))
    own.write_summary(own.read_summary() | {"command": f"python run.py use={mine} experiment=plain"})
    redraw([f"report={directory}"])
    assert f"was made with use={mine}" in capsys.readouterr().out
    assert f"use={mine}" in (directory / "report.html").read_text()
    assert not (tmp_path / "executed").exists()
