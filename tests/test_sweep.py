"""Sweeps from the command line: one table and one figure, resumed, reported, launched."""

import signal
import time

import pytest

from lab.config import multirun
from tests.command_line import TINY, check_refused, lab_here, lab_once, ran, started
from tests.run_files import summary_of, table

GRID = ["-m", "experiment=plain", *TINY, "train.batch_size=4,8", "task.scale=0.5,1"]


def sweep_of(path):
    """The sweep's directory: the only one with a table of points."""
    (table,) = path.glob("runs/*/*/points.csv")
    return table.parent


def rows(path):
    return table(sweep_of(path), "points")


def differing(one, other, name):
    """The cells that differ in two directories' tables of a name, as text: (row, column, one, other)."""
    both = (table(directory, name) for directory in (one, other))
    return [
        (number, column, row[column], other_row[column])
        for number, (row, other_row) in enumerate(zip(*both, strict=True))
        for column in row | other_row
        if row[column] != other_row[column]
    ]


def done_at(path):
    """When each finished run of the folder wrote each of its files; one killed between DONE and its renaming counts."""
    finished = [mark.parent for mark in path.glob("runs/*/*/DONE")]
    return {
        (run.name.removesuffix(".tmp"), file.relative_to(run)): file.stat().st_mtime_ns
        for run in finished
        for file in run.rglob("*")
        if file.is_file()
    }


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """What the sweep said, and its folder, in which commands may be run that change nothing."""
    return lab_once(tmp_path_factory, "sweep", GRID)


@pytest.mark.slow
def test_a_sweep_is_one_table_and_one_figure_and_its_points_are_runs(sweep):
    done, folder = sweep
    assert done.returncode == 0, done.stderr
    assert "program 2 of 2" in done.stdout
    assert "program 3" not in done.stdout, "two scales are one program"
    directory, told = sweep_of(folder), rows(folder)
    assert (directory / "DONE").exists()
    assert (directory / "figures" / "sweep.png").exists()
    places = [(row["train.batch_size"], row["task.scale"], row["state"]) for row in told]
    assert places == [(b, s, "done") for b in ("4", "8") for s in ("0.5", "1")]
    assert float(told[0]["loss.gradient_descent"]) < float(told[1]["loss.gradient_descent"]) / 2, "scale 0.5, then 1"
    assert {row["eval.episodes"] for row in told} == {"50"}, "every setting that is not as the defaults have it"
    points = summary_of(directory)["points"].values()
    assert [point["together"] for point in points] == [{"models": 2, "runs": 2}] * 4

    before = done_at(folder)
    alone = lab_here("experiment=plain", *TINY, "train.batch_size=8", "task.scale=0.5", cwd=folder)
    assert "already done" in alone.stdout
    ran(*GRID, cwd=folder)
    assert done_at(folder) == before


@pytest.mark.slow
def test_the_jobs_of_a_launcher_give_the_same_table(sweep, tmp_path):
    """Here in this process; tests/test_user_code.py starts launchers."""
    job, gather = multirun.commands([*GRID, "launcher=joblib"])
    jobs = [word for word in job if word not in ("-m", "launcher=joblib", "sweep.program=0,1")]
    assert len(jobs) == len(job) - 3, "two programs of two points each"
    for words in ([*jobs, "sweep.program=0"], [*jobs, "sweep.program=1"], gather):
        assert not list(tmp_path.glob("runs/*/*/points.csv"))
        ran(*words, cwd=tmp_path)
    assert (sweep_of(tmp_path) / "points.csv").read_text() == (sweep_of(sweep[1]) / "points.csv").read_text()
    assert (sweep_of(tmp_path) / "DONE").exists()


@pytest.mark.slow
def test_a_killed_sweep_goes_on_where_it_stopped(sweep, tmp_path):
    """It is killed after the first of its points, and becomes the one that was left alone."""
    with started(*GRID, cwd=tmp_path) as process:
        give_up = time.monotonic() + 300
        while not list(tmp_path.glob("runs/*/*/DONE")):
            assert process.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = done_at(tmp_path)
    for run in [mark.parent for mark in tmp_path.glob("runs/*/*/DONE") if mark.parent.suffix != ".tmp"]:
        run.rename(run.with_name(f"{run.name}.tmp"))  # the latest moment at which it can be killed
    assert not list(tmp_path.glob("runs/*/*/points.csv"))

    ran(*GRID, cwd=tmp_path)
    assert kept.items() <= done_at(tmp_path).items(), "what was finished was not touched"
    assert len(rows(tmp_path)) == 4
    for name in ("points", "curves", "learners", "alignment"):
        assert differing(sweep_of(tmp_path), sweep_of(sweep[1]), name) == []


@pytest.mark.slow
def test_a_failed_point_is_reported_and_the_others_go_on(tmp_path):
    rates = ["train.learning_rate=1e18,0.001", "train.batch_size=4,8"]
    words = ["-m", "experiment=plain", *TINY, "train.warmup=0", *rates]
    done = lab_here(*words, cwd=tmp_path)
    check_refused(done, "2 of 4 points failed, the others are kept")
    assert "batch_size=4, learning_rate=1e+18 and batch_size=8, learning_rate=1e+18: the training loss" in done.stderr
    assert [row["state"] for row in rows(tmp_path)] == ["failed", "done", "failed", "done"]
    assert not (sweep_of(tmp_path) / "DONE").exists()
    assert len(list(tmp_path.glob("runs/*/*/FAILED"))) == 2

    before = done_at(tmp_path)
    again = lab_here(*words, "sweep.fail_fast=true", cwd=tmp_path)
    assert again.returncode == 1
    assert "the training loss of transformer became" in again.stderr
    assert "program 2" not in again.stdout
    assert done_at(tmp_path) == before
