"""Directories that somebody else made: nothing in one leads out of it. Those of whole runs are in
tests/experiments/test_hostile.py; here are sweeps, and what takes more than one file."""

import json
import os
import shutil
from typing import Any

import numpy as np
import pytest

from analysis.report.redraw import redraw
from analysis.tables.gather import PointDirectory
from lab.errors import UserError
from lab.runs import safe_read
from lab.runs.directory import RunDirectory
from tests.analysis import runs
from tests.hostile import COMMON, check_refused, outside, state


@pytest.fixture
def elsewhere(tmp_path):
    return outside(tmp_path / "outside")


@pytest.fixture
def directory(tmp_path, elsewhere):
    return runs.run(tmp_path / "runs" / "name" / "abc", {"bounces": 1.0}, [{"time": 0, "height": 1}]).path


@pytest.fixture
def sweep(tmp_path, elsewhere):
    return runs.bounces(tmp_path / "runs" / "name" / "abc").path


@pytest.fixture
def nested(tmp_path, elsewhere):
    """A sweep of two sweeps, in a folder of their own each."""
    parts = [PointDirectory(name, {"part": name}, {}, runs.bounces(tmp_path / "runs" / name / "abc")) for name in "xy"]
    return runs.sweep(tmp_path / "runs" / "paper" / "abc", parts, figure="").path


@pytest.mark.parametrize(
    ("case", "sort"),
    [
        (case, sort)
        for place, case in enumerate(COMMON)
        for sort in ("directory", ("sweep", "nested")[place % 2])  # the same functions read both
    ],
)
def test_what_is_refused_in_every_kind_is_refused_here(case, sort, tmp_path, elsewhere, request):
    path = request.getfixturevalue(sort)
    plant, expected = COMMON[case]
    plant(path, elsewhere)
    check_refused(tmp_path, path, expected)


@pytest.mark.parametrize(
    ("sort", "place", "expected"),
    [
        ("sweep", "name/abc_rubber1/heights.csv", "abc_rubber1: heights.csv is a symbolic link"),
        ("sweep", "name/abc_rubber1/figures", "abc_rubber1: figures is a symbolic link"),
        ("sweep", "name/abc_rubber1", "points.csv: .*abc_rubber1 is a link"),
        ("nested", "x", "points.csv: .*runs/x/abc is a link, or below one that leads elsewhere"),
        ("nested", "y/abc_glass3/heights.csv", "abc_glass3: heights.csv is a symbolic link"),
    ],
)
def test_a_point_that_leads_elsewhere(sort, place, expected, tmp_path, elsewhere, request):
    """All points, and those of points, are checked before the first is written."""
    path = request.getfixturevalue(sort)
    shutil.move(tmp_path / "runs" / place, elsewhere / "moved")
    (tmp_path / "runs" / place).symlink_to(elsewhere / "moved")
    before = state(tmp_path)
    with pytest.raises(UserError, match=expected):
        redraw([f"report={path}"])
    assert state(tmp_path) == before


def test_sweeps_that_are_points_of_one_another(tmp_path, nested):
    """The inner one says that the outer one is a point of it."""
    inner, outer = RunDirectory(tmp_path / "runs" / "x" / "abc"), RunDirectory(nested)
    row = inner.read_text_table("points")[0] | {"point": "outer", "run": "../paper/abc"}
    inner.write_table("points", [row])
    inner.write_summary(inner.read_summary() | {"points": {"outer": outer.read_summary()}})
    check_refused(tmp_path, nested, r"runs/paper/abc is a point of itself")


def test_sweeps_that_name_the_same_points_again_and_again_are_drawn_once(tmp_path, elsewhere, monkeypatch):
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


def test_files_that_are_too_large(directory, monkeypatch):
    """Of two gigabytes that take no room on the disk, and of arrays that are small while they are packed."""
    with open(directory / "heights.csv", "r+b") as file:
        file.truncate(2**31)
    with pytest.raises(UserError, match=r"heights\.csv: .*2,147,483,648 bytes, and at most 1,073,741,824 are read"):
        redraw([f"report={directory}"])
    (directory / "heights.csv").write_text("time,height\n0,1\n")
    np.savez_compressed(directory / "circuits.npz", zeros=np.zeros(2**20))
    monkeypatch.setattr(safe_read, "LARGEST_WHOLE", 2**20)
    assert (directory / "circuits.npz").stat().st_size < 2**15
    with pytest.raises(UserError, match=r"circuits\.npz: .* bytes, and at most"):
        redraw([f"report={directory}"])


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


def test_a_file_that_its_settings_and_its_command_name_is_not_executed(directory, elsewhere, tmp_path, capsys):
    mine, own = elsewhere / "mine.py", RunDirectory(directory)
    mine.write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    own.write_text("config.yaml", json.dumps(own.read_config() | {"use": str(mine)}))
    own.write_summary(own.read_summary() | {"command": f"python run.py use={mine} experiment=plain"})
    redraw([f"report={directory}"])
    assert f"was made with use={mine}" in capsys.readouterr().out
    assert f"use={mine}" in (directory / "report.html").read_text()
    assert not (tmp_path / "executed").exists()


def test_a_user_s_own_links_above_a_directory_are_followed(tmp_path, nested, elsewhere):
    """`runs` on a larger disk, and a name for the latest run."""
    shutil.move(tmp_path / "runs", elsewhere / "large disk")
    (tmp_path / "runs").symlink_to(elsewhere / "large disk")
    (tmp_path / "latest").symlink_to(tmp_path / "runs" / "paper" / "abc")
    pages = [elsewhere / "large disk" / name / "abc" / "report.html" for name in ("x", "paper")]
    for path in (tmp_path / "runs" / "paper" / "abc", tmp_path / "latest"):
        for page in pages:
            page.unlink()
        redraw([f"report={path}"])
        assert all(page.exists() for page in pages)


def test_a_file_is_written_in_place_of_a_link(tmp_path, elsewhere):
    """Where a link appears after everything was checked."""
    directory = RunDirectory(tmp_path / "run")
    directory.path.mkdir()
    for name in ("report.html", ".report.html"):
        (directory.path / name).symlink_to(elsewhere / "key")
    before = state(elsewhere)
    directory.write_text("report.html", "the page")
    assert state(elsewhere) == before
    assert (directory.path / "report.html").read_text() == "the page"
    assert not (directory.path / "report.html").is_symlink()
    (directory.path / "figures").symlink_to(elsewhere)
    with pytest.raises(UserError, match="figures: it is a symbolic link"), directory.whole("figures/a.png"):
        pass
    (directory.path / ".written").unlink()
    os.symlink(elsewhere / "key", directory.path / ".written")
    directory.write_text("other.html", "")
    assert not (directory.path / ".written").is_symlink()
    assert state(elsewhere) == before


@pytest.mark.parametrize("name", ["heights.csv", "summary.json", "config.yaml", "environment.json"])
def test_a_link_is_not_read(name, directory, elsewhere):
    (directory / name).unlink()
    (directory / name).symlink_to(elsewhere / "table.csv")
    own = RunDirectory(directory)
    read = {"heights.csv": lambda: own.read_table("heights"), "summary.json": own.read_summary}
    read |= {"config.yaml": own.read_config, "environment.json": own.read_environment}
    with pytest.raises(UserError, match=f"{name}: .*it is a symbolic link"):
        read[name]()
