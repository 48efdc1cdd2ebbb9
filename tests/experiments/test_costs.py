"""The table of times, which finished runs fill in."""

import json
import pathlib

import pytest

from experiments import costs

HEAD = "experiment,size,seconds,inputs,remark\n"


@pytest.fixture
def table(tmp_path, monkeypatch) -> pathlib.Path:
    monkeypatch.setattr(costs, "FILE", tmp_path / "costs.csv")
    costs.FILE.write_text(HEAD + "one,,5,7,three seeds\n")
    return costs.FILE


def finished(folder: pathlib.Path, name: str, summary: object, cpus: object = 2, backend: str = "cpu") -> None:
    run = folder / name / "123"
    run.mkdir(parents=True)
    (run / "summary.json").write_text(json.dumps(summary))
    (run / "environment.json").write_text(json.dumps({"cpus": cpus, "backend": backend}))
    (run / "DONE").write_text("")


def took(seconds: object, name: str = "one") -> dict:
    return {"command": f"python run.py experiment={name}", "seconds": {"total": seconds}}


def test_a_row_keeps_what_no_run_measures(table, tmp_path):
    finished(tmp_path / "runs", "one", took(60.2))
    finished(tmp_path / "runs", "two", took(70, "two"))
    costs.write(tmp_path / "runs")
    assert table.read_text() == HEAD + "one,,60,7,three seeds\ntwo,,70,,\n"


@pytest.mark.parametrize(
    "damaged",
    [[], {}, took("soon"), took(float("inf")), took(None), {"command": "python run.py experiment=one", "seconds": 3}],
)
def test_damaged_runs_are_left_out(damaged, tmp_path):
    finished(tmp_path, "one", damaged)
    finished(tmp_path, "two", took(70, "two"))
    (tmp_path / "two" / "124").mkdir()
    (tmp_path / "two" / "124" / "DONE").write_text("")
    assert costs.measured(tmp_path) == {("two", ""): 70}


@pytest.mark.parametrize(("cpus", "backend"), [(16, "cpu"), (2, "gpu"), (None, "cpu")])
def test_runs_of_other_machines_are_left_out(cpus, backend, tmp_path):
    finished(tmp_path, "one", took(60), cpus, backend)
    assert not costs.measured(tmp_path)
