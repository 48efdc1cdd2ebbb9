"""A finished run, opened in Python."""

import json
import pathlib
import shutil

import jax
import numpy as np
import pytest

import lab
from experiments import api
from lab.config.identity import config_hash
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from tests.tiny_runs import EACH_KIND, tiny_run, words_of

# Kinds that keep learners, and have a task.
KEEP = ("comparison", "decoder", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("functions", "dti")))


@pytest.mark.parametrize("kind", EACH_KIND)
def test_every_run_is_opened(kind, tmp_path_factory, monkeypatch):
    tiny = tiny_run(tmp_path_factory, kind)
    monkeypatch.chdir(tiny.folder)
    run = lab.load(str(tiny.directory))
    by_words = lab.load(*words_of(kind))
    assert by_words.directory.path.resolve() == run.directory.path
    assert config_hash(by_words.settings) == config_hash(run.settings)
    assert run.numbers == tiny.summary.get("numbers", {})
    assert run.claims == tiny.summary["claims"]
    assert run.report.is_file()
    assert {*run.tables} == {*tiny.summary["tables"]}
    assert repr(run.tables) == f"<tables: {', '.join(tiny.summary['tables'])}>"
    for name, rows in run.tables.items():
        lines = (tiny.directory / f"{name}.csv").read_text().splitlines()
        assert ",".join(rows[0]) == lines[0]
    assert all(path.is_file() for path in run.figures.values())
    assert {*run.points} == {*tiny.summary.get("points", {})} or not run.points
    assert run.answer in repr(run)
    assert lab.load(tiny.directory).numbers == run.numbers, "a path is a directory, too"


def test_a_table_may_have_no_rows(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.write_table("layers", [])
    assert dict(api.Tables(directory, ["layers"])) == {"layers": []}


@pytest.mark.parametrize("kind", KEEP)
def test_its_learners_answer_prompts_of_its_task(kind, tmp_path_factory, monkeypatch):
    tiny = tiny_run(tmp_path_factory, kind)
    monkeypatch.chdir(tiny.folder)
    run = lab.load(str(tiny.directory))
    run = next(iter(run.points.values())) if run.points else run
    prompts = run.task.sample(jax.random.key(0), 2).prompt
    for learner in run.learners().values():
        assert np.isfinite(jax.vmap(learner)(prompts)).all()


def test_the_learners_are_those_that_were_trained(tmp_path_factory, monkeypatch):
    """The mean loss over many new episodes is that of the table within five of its standard errors."""
    tiny = tiny_run(tmp_path_factory, "comparison")
    monkeypatch.chdir(tiny.folder)
    run = lab.load(str(tiny.directory))
    row = next(row for row in run.tables["learners"] if row["learner"] == "transformer")
    episodes = run.task.sample(jax.random.key(9), 2000)
    answers = jax.vmap(run.learners()["transformer"])(episodes.prompt)
    losses = np.asarray(jax.vmap(run.task.loss)(answers, episodes.target))
    error = np.hypot(losses.std(ddof=1) / np.sqrt(len(losses)), row["stderr"])
    assert abs(losses.mean() - row["mean"]) < 5 * error


def copied(tmp_path_factory, tmp_path, kind="comparison") -> pathlib.Path:
    tiny = tiny_run(tmp_path_factory, kind)
    place = tmp_path / tiny.directory.parent.name / tiny.directory.name
    shutil.copytree(tiny.directory, place)
    return place


def test_what_cannot_be_opened_is_refused_in_one_line(tmp_path_factory, tmp_path):
    place = copied(tmp_path_factory, tmp_path / "a=b")
    with pytest.raises(UserError, match="no run's directory"):
        lab.load(str(tmp_path))
    with pytest.raises(UserError, match=r"lab\.load\(\): allowed are one run's directory, name or words"):
        lab.load()
    with pytest.raises(UserError, match=r"no finished run; python run\.py -m experiment=plain seed=1,2 "):
        lab.load("-m", "experiment=plain", "seed=1,2", f"run.dir={tmp_path}")
    with pytest.raises(UserError, match=r"no finished run; python run\.py experiment=plain seed=77 "):
        lab.load("experiment=plain", "seed=77", f"run.dir={tmp_path}")
    with pytest.raises(UserError, match=r"keeps no|no learner of seed 5 is kept: there are 0"):
        lab.load(str(place)).learners(seed=5)
    config = place / "config.yaml"
    config.write_text(config.read_text().replace("clip_norm: 1.0", "clip_norm: 0.5"))
    with pytest.raises(UserError, match=r"clip_norm.*the same command makes it again"):
        lab.load(str(place))
    (place / "DONE").unlink()
    with pytest.raises(UserError, match="not finished"):
        lab.load(str(place))


def test_a_file_that_only_the_directory_names_is_not_executed(tmp_path_factory, tmp_path):
    place = copied(tmp_path_factory, tmp_path)
    mine = tmp_path / "mine.py"
    mine.write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    config = place / "config.yaml"
    config.write_text(config.read_text().replace("use: null", f"use: {mine}").replace("use: ''", f"use: {mine}"))
    assert str(mine) in config.read_text()
    summary = json.loads((place / "summary.json").read_text())
    with pytest.raises(UserError, match="add that word"):
        lab.load(str(place))
    summary["command"] += f" use={mine}"
    (place / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(UserError, match="add that word"):
        lab.load(str(place))
    assert not (tmp_path / "executed").exists()
