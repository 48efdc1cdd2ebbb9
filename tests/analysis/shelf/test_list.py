"""`python run.py runs` and the words that choose runs."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from filelock import FileLock

from analysis.report import generic
from lab.config.compose import compose_run
from lab.config.experiments import experiments
from lab.config.identity import config_hash
from lab.runs.provenance import provenance
from tests.analysis import runs as presented
from tests.analysis.shelf.runs import run
from tests.command_line import ENVIRONMENT, ROOT, check_refused, lab, lab_here, ran


def hashes(*words, cwd, **environment):
    """The hashes in the list, in its order."""
    done = ran("runs", *words, cwd=cwd, **environment)
    return re.findall(r"^ ?([a-z])\1{9} ", done.stdout, re.MULTILINE)


@pytest.fixture
def folder(tmp_path):
    run(tmp_path, "a" * 10, ["train.steps=2000"])
    run(tmp_path, "b" * 10, ["train.steps=500", "task.scale=1.5"], seconds={"total": 99.0})
    run(tmp_path, "c" * 10, ["train.steps=500"], state="the loss is no number\nat step 3")
    run(tmp_path, "d" * 10, state="stopped")
    run(tmp_path, "e" * 10, experiment="rag_dot")
    for age, name in enumerate("dcba"):
        for path in (tmp_path / "runs" / "plain" / (name * 10)).iterdir():
            os.utime(path, (1e9 + age * 86400, 1e9 + age * 86400))
    return tmp_path


def test_the_list_says_what_each_run_is(folder):
    """Of what is not finished, the directory's name says it too."""
    at_work = run(folder, f"{'f' * 10}.tmp", experiment="rag_dot", state="stopped")
    at_work.lock.parent.mkdir()
    with FileLock(at_work.lock):
        done = lab_here("runs", cwd=folder)
    assert experiments()["plain"] in done.stdout
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if re.match(r" ?([a-e])\1{9} ", line)}
    assert [rows[name * 10].split()[1] for name in "abcde"] == ["done,", "done,", "failed", "stopped", "done,"]
    assert re.search(r"f{10}\.tmp +running", done.stdout)
    assert "An answer of aaaaaaaaaa." in done.stdout
    assert "at step 3" in done.stdout
    assert "train.steps" not in rows["a" * 10], "it is that of the experiment's file"
    assert "train.steps=500" in rows["b" * 10]
    assert "task.scale=1.5" in rows["b" * 10]
    assert "train.steps" not in rows["e" * 10], "no other run of its experiment differs"
    assert "6 runs in runs" in done.stdout
    assert "3 done (3 stale), 1 running, 1 failed, 1 stopped" in done.stdout


def test_a_setting_in_which_only_other_runs_differ_is_not_listed(folder):
    assert "train.steps" in lab_here("runs", "plain", "task.scale=1.5,1.0", cwd=folder).stdout
    listed = lab_here("runs", "plain", "train.steps=500", cwd=folder).stdout
    assert "task.scale=1.5" in listed
    assert "train.steps=" not in listed, "they have the same"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), "abcde"),
        (("rag_dot",), "e"),
        (("failed",), "c"),
        (("done", "failed"), "abce"),
        (("plain", "train.steps=500"), "bc"),
        (("plain", "train.steps=500.0,2000", "done"), "ab"),
        (("task.scale=1.50",), "b"),
        (("bbb",), "b"),
        (("runs/plain/" + "d" * 10 + "/",), "d"),
        (("ANSWER", "plain"), "ab"),
        (("sort=seconds", "done", "plain"), "ba"),
        (("sort=age", "plain"), "abcd"),
        (("failed", "rag_dot"), ""),
    ],
)
def test_words_choose_and_sort(folder, words, names):
    assert hashes(*words, cwd=folder) == [*names]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("stael",), "runs: stael: no run has this word"),
        (("fialed",), "did you mean failed?"),
        (("sort=length",), "sort=length: allowed are name, age, seconds, size"),
        (("train.step=5",), "train.step: no run here has this key; did you mean train.steps?"),
        (("--foo",), "--foo: runs has no options"),
        (("compare", "a" * 10), "runs compare: allowed are two runs, and 1 was given"),
        (("compare", "a" * 10, "zz"), "zz: no run"),
        (("compare", "a" * 10, "a" * 9), "allowed are two different runs"),
        (("open",), "runs open: no run was given"),
        (("open", "zz"), "zz: no run"),
        (("open", "aaa"), "has no report"),
        (("paths",), "runs paths: no word says which"),
        (("paths", "fialed"), "did you mean failed?"),
    ],
)
def test_a_slip_of_the_pen_is_one_line(folder, words, message):
    check_refused(lab_here("runs", *words, cwd=folder), message)


@pytest.fixture
def partly_stale(tmp_path):
    """A run that its command would make today, one with other settings than its command's, and two others."""
    fresh = config_hash(compose_run(["experiment=plain"]))
    run(tmp_path, fresh)
    run(tmp_path, "b" * 10, ["train.steps=77"])
    run(tmp_path, "c" * 10, ["train.steps=77"], state="it broke")
    run(tmp_path, "d" * 10, ["train.steps=77"], experiment="rag_dot")
    return tmp_path, fresh


def test_a_finished_run_that_today_would_not_make_is_marked(partly_stale):
    folder, fresh = partly_stale
    lines = lab_here("runs", "plain", "sort=name", cwd=folder, COLUMNS="200").stdout.splitlines()
    rows = {line.split()[0]: " ".join(line.split()[1:3]) for line in lines if line.split()}
    assert rows[fresh].startswith("done ")
    assert rows["b" * 10] == "done, stale"
    assert rows["c" * 10].startswith("failed ")
    assert sum("stale: train.steps was 77 and is 2000 today" in line for line in lines) == 1
    assert any("3 of 4 runs in runs" in line and line.endswith("2 done (1 stale), 1 failed") for line in lines)


def test_paths_are_those_of_the_chosen_runs_and_each_is_one_word_to_a_shell(partly_stale):
    folder, _ = partly_stale
    done = lab_here("runs", "paths", "stale", cwd=folder)
    assert done.stdout.split() == [f"runs/plain/{'b' * 10}", f"runs/rag_dot/{'d' * 10}"]
    run(folder, "x *", ["train.steps=78"])
    done = lab_here("runs", "paths", "train.steps=78", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert "runs/plain/x * is left out" in done.stderr


def test_a_report_is_opened_in_the_browser(folder, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    directories = [folder / "runs" / "plain" / (name * 10) for name in "ab"]
    (directories[0] / "report.html").write_text("<!DOCTYPE html>")
    assert lab_here("runs", "open", "aaa", cwd=folder).stdout.split() == [f"runs/plain/{'a' * 10}/report.html"]
    assert opened == [(directories[0] / "report.html").as_uri()]
    (directories[1] / "report.html").symlink_to(directories[0] / "report.html")
    check_refused(lab_here("runs", "open", "bbb", cwd=folder), "has no report")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("plain", "stale"), "b"),
        (("stale", "rag_dot"), "d"),
        (("stale", "done"), "bd"),
        (("stale", "failed"), ""),
        (("train.steps=77", "stale", "sort=seconds"), "bd"),
    ],
)
def test_stale_chooses_beside_other_words(partly_stale, words, names):
    assert hashes(*words, cwd=partly_stale[0]) == [*names]


def test_other_code_is_named_in_the_list(tmp_path):
    """Unless a file of the user's own, which is not imported here, has made the run."""
    settings = compose_run(["experiment=plain"])
    directory = run(tmp_path, config_hash(settings))
    made_by = provenance(settings)
    made_by["code"]["lab/gone.py"] = "0"
    directory.write_text("provenance.json", json.dumps(made_by))
    done = lab_here("runs", cwd=tmp_path)
    assert "stale: made by other code (changed since: lab/gone.py)" in done.stdout.replace("\n", " ")
    config = (directory.path / "config.yaml").read_text()
    directory.write_text("config.yaml", config.replace("use: ''", "use: my.py"))
    done = lab_here("runs", cwd=tmp_path)
    assert "stale" not in done.stdout


def test_an_empty_folder_is_no_error(tmp_path):
    done = lab_here("runs", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "0 runs in runs, 0 B\n")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("words", [(), ("sort=age",)])
def test_a_narrow_terminal_loses_no_name(tmp_path, words):
    """Nor any word of an answer, however long the name of the experiment is."""
    longest = max(experiments(), key=len)
    for name in ("0123456789", "abcdef0123"):
        run(tmp_path, name, [f"seed={len(name)}"], answer="A sentence of several words, each of which is there.")
        path = tmp_path / "runs" / longest / name
        shutil.copytree(tmp_path / "runs" / "plain" / name, path)
    done = lab("runs", *words, cwd=tmp_path, COLUMNS="80")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for name in ("0123456789", "abcdef0123"):
        assert sum(name in line for line in lines) == 2
    assert any(longest in line for line in lines)
    assert all(sum(word in line.split() for line in lines) >= 4 for word in ("sentence", "several", "each"))


def test_neither_jax_nor_matplotlib_is_imported(folder):
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport run\nsys.argv = ['run.py', 'runs']\nrun.main()\n"
        "heavy = ('jax', 'flax', 'matplotlib', 'experiments.regression.comparison.report')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_result_that_is_presented_keeps_its_answer(tmp_path):
    """So that the list need not ask its kind."""
    bounces = presented.run(tmp_path / "runs" / "bounces" / "0123456789", {"height": 2.0}, [{"height": 2.0}])
    summary = bounces.read_summary()
    assert summary["answer"] == generic.answer(summary) != ""
