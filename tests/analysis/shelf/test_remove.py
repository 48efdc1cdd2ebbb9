"""`python run.py runs remove`: the lab's files of chosen runs, and nothing else."""

import pytest
from filelock import FileLock

from lab.config.compose import compose_run
from lab.config.identity import config_hash
from tests.analysis.shelf.runs import run
from tests.command_line import check_refused, lab_here


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


@pytest.fixture
def folder(tmp_path):
    run(tmp_path, "a" * 10, losses={0: [1.0], 1: [0.5]})
    run(tmp_path, "b" * 10, state="it broke")
    run(tmp_path, "c" * 10, state="stopped")
    run(tmp_path, "d" * 10, experiment="rag_dot")
    return tmp_path


def test_it_shows_first_and_removes_when_asked(folder):
    everything = files(folder)
    done = lab_here("runs", "remove", "plain", cwd=folder)
    assert "aaaaaaaaaa" in done.stdout
    assert "bbbbbbbbbb" in done.stdout
    assert "cccccccccc is kept, as its command would go on from there" in done.stdout
    assert "add yes=true to do it" in done.stdout
    assert files(folder) == everything
    done = lab_here("runs", "remove", "plain", "yes=true", cwd=folder)
    assert "removed " in done.stdout
    left = [path.name for path in (folder / "runs").glob("*/*")]
    assert sorted(left) == ["c" * 10, "d" * 10]
    lab_here("runs", "remove", "stopped", "yes=true", cwd=folder)
    lab_here("runs", "remove", "rag_dot", "yes=true", cwd=folder)
    assert not list((folder / "runs").iterdir()), "nor the folders of experiments"


def test_the_files_of_others_stay(folder):
    directory = folder / "runs" / "plain" / ("a" * 10)
    (folder / "precious").write_text("mine")
    (directory / "notes.txt").write_text("mine")
    (directory / "figures" / "mine.png").write_text("mine")
    (directory / "FAILED").symlink_to(folder / "precious")
    (folder / "empty").mkdir()
    (directory / "partial").symlink_to(folder)
    done = lab_here("runs", "remove", "aaa", "yes=true", cwd=folder)
    assert f"note: runs/plain/{'a' * 10} has files that the lab did not write; they are left" in done.stdout
    assert (folder / "precious").read_text() == "mine"
    assert (folder / "empty").is_dir()
    assert files(directory) == ["FAILED", "figures/mine.png", "notes.txt", "partial"]


def test_a_run_at_work_is_never_touched(folder):
    everything = files(folder)
    with FileLock(folder / "runs" / "plain" / ("a" * 10) / ".lock"):
        done = lab_here("runs", "remove", "aaa", "yes=true", cwd=folder)
    assert "is kept, as a process works on it" in done.stdout
    assert "nothing to remove" in done.stdout
    assert [name for name in files(folder) if not name.endswith(".lock")] == everything


def test_a_lock_that_is_a_link_is_refused(folder):
    (folder / "precious").write_text("mine")
    (folder / "runs" / "plain" / ("a" * 10) / ".lock").symlink_to(folder / "precious")
    check_refused(lab_here("runs", "remove", "aaa", "yes=true", cwd=folder), ".lock is a symbolic link")
    assert (folder / "precious").read_text() == "mine"


def test_the_page_is_that_of_what_is_left(folder):
    lab_here("runs", cwd=folder)
    lab_here("runs", "remove", "aaa", "yes=true", cwd=folder)
    page = (folder / "runs" / "index.html").read_text()
    assert "aaaaaaaaaa" not in page
    assert "bbbbbbbbbb" in page


def test_no_word_removes_nothing(folder):
    everything = files(folder)
    for words in ((), ("yes=true",), ("sort=age", "yes=true")):
        check_refused(lab_here("runs", "remove", *words, cwd=folder), "runs remove: no word says which")
    check_refused(lab_here("runs", "remove", "done", "yes=1", cwd=folder), "yes=1: allowed is yes=true")
    check_refused(lab_here("runs", "remove", "dnoe", "yes=true", cwd=folder), "did you mean done?")
    assert files(folder) == everything


def test_stale_ones_are_those_that_today_would_not_make(folder):
    """`a` has the settings of its command, and another hash; `d` has settings that its command does not have."""
    run(folder, "e" * 10, ["train.steps=77"], experiment="rag_dot", command="python run.py experiment=rag_dot")
    name = config_hash(compose_run(["experiment=plain"]))
    (folder / "runs" / "plain" / ("a" * 10)).rename(folder / "runs" / "plain" / name)
    done = lab_here("runs", "remove", "stale", cwd=folder)
    assert "2 of 5 runs" in done.stdout
    assert name not in done.stdout
    lab_here("runs", "remove", "rag_dot", "train.steps=77", "stale", "yes=true", cwd=folder)
    left = {path.name for path in (folder / "runs").glob("*/*")}
    assert left == {name, "b" * 10, "c" * 10, "d" * 10}
