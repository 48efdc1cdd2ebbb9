"""The lab removes what it has written, and nothing else: a user's files stay wherever they are."""

import os

import pytest

from experiments.regression.comparison.settings import Comparison
from lab.config.base import Run
from lab.runs import own_files
from lab.runs.directory import RunDirectory
from tasks.settings import Plain
from tests.analysis import runs

OWN = {  # files as other software calls them, below the folders of a run
    "checkpoints": ["4.npz", ".4.npz", "4.sha256", "4/_CHECKPOINT_METADATA", "4/arrays/ocdbt.process_0/d/" + 8 * "49d5",
                    "12.orbax-checkpoint-tmp-3/arrays/manifest.ocdbt", ".4.sha256", "4/record/metadata"],
    "partial": ["identity.json", "rows_of_a_part-0123abcd.json", ".block-0123abcd.npz", "a.b=c-0123abcd/3.npz",
                "training-0123abcd/3/commit_success.txt"],
    "tensorboard": ["seed_0/events.out.tfevents.17.vm"],
    "wandb": ["offline-run-20260101_000000-abc/run-abc.wandb", "offline-run-20260101_000000-abc/logs/debug.log",
              "cache/wandb/logs/core-debug.log"],
    ".tracker": ["tensorboard/seed_0/events.out.tfevents.17.vm"],
}  # fmt: skip
USERS = [
    "notes.txt", "figures/sketch.png", "checkpoints/notes.txt", "checkpoints/4/notes.txt", "checkpoints/best/4.sha256",
    "checkpoints/notes.sha256", "partial/notes.json", "partial/mine/rows-0123abcd.json", "tensorboard/notes.txt",
    "tensorboard/seed_0/notes.txt", "wandb/notes.txt", "none/notes.txt", "heights.csv.old", ".notes",
]  # fmt: skip


def finished_run(path):
    """A finished run, with files of every sort that the lab removes."""
    directory = runs.run(path, {"bounces": 1.0}, [{"time": 0, "height": 1}])
    for folder, files in OWN.items():
        for file in files:
            write(directory.path / folder / file, "the lab's")
    return directory


@pytest.fixture
def directory(tmp_path):
    """A finished run, with files of the user's beside all of the lab's."""
    directory = finished_run(tmp_path / "run")
    for file in USERS:
        write(directory.path / file, "the user's")
    return directory


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def users(path):
    return {name for name in USERS if (path / name).is_file() and (path / name).read_text() == "the user's"}


def left(path):
    return {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}


def test_everything_that_is_the_lab_s_is_removed_and_nothing_else(directory):
    own_files.remove_all(directory.path)
    assert left(directory.path) == set(USERS) == users(directory.path)


def test_a_directory_without_files_of_the_user_is_gone(tmp_path):
    directory = finished_run(tmp_path / "run")
    own_files.remove_all(directory.path)
    assert not directory.path.exists()


def test_a_run_that_begins_again_keeps_the_user_s_files_and_saved_states(directory):
    directory.fail("no reason")
    assert (directory.done, directory.failure) == (True, "no reason")
    directory.begin(Comparison(name="some", task=Plain(), run=Run(dir="runs")))
    assert (directory.done, directory.failure) == (False, "it was not run")
    kept = {f"{folder}/{file}" for folder in ("checkpoints", "partial", ".tracker") for file in OWN[folder]}
    new = {"config.yaml", "environment.json", "provenance.json", ".written"}
    assert left(directory.path) == {*USERS} | kept | new
    assert users(directory.path) == {*USERS}


def test_a_file_of_the_user_s_whose_name_a_repetition_takes_stays(directory):
    again = directory.unfinished
    again.path.mkdir()
    again.write_text("notes.txt", "the lab's")
    again.finish()
    directory.take_place()
    assert (directory.path / "notes.txt").read_text() == "the lab's"
    assert (directory.path / "notes.txt.old").read_text() == "the user's"
    assert [*directory.path.parent.iterdir()] == [directory.path]


def test_what_was_left_by_a_kill_while_a_file_was_written_is_removed(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.write_text("report.html", "")
    (tmp_path / ".report.html").write_text("half of it")
    (tmp_path / ".mine.html").write_text("")
    own_files.clear(tmp_path)
    assert left(tmp_path) == {".mine.html"}


def test_a_file_is_on_disk_before_it_has_its_name_and_all_of_a_run_before_it_is_done(tmp_path, monkeypatch):
    """After a power failure a name may be there without the content, unless that was waited for."""
    synced, real = [], os.fsync

    def fsync(descriptor):
        status = os.fstat(descriptor)
        synced.append((status.st_ino, status.st_size, (tmp_path / "DONE").exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    directory = RunDirectory(tmp_path)
    directory.write_text("table.csv", "x\n1\n")
    assert (inode := (tmp_path / "table.csv").stat()).st_size == 4
    assert synced[-1] == (inode.st_ino, 4, False), "behind the list of the lab's own files"
    directory.finish()
    assert (tmp_path.stat().st_ino, False) in [(number, done) for number, _, done in synced]


def test_links_in_place_of_folders_are_not_followed(tmp_path):
    """Nor does the list name files behind them."""
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / "4.sha256", "")
    write(elsewhere / "drawn.png", "")
    directory = RunDirectory(tmp_path / "run")
    directory.path.mkdir()
    for name in ("figures", "checkpoints"):
        (directory.path / name).symlink_to(elsewhere)
    own_files.note(directory.path, "figures/drawn.png")
    own_files.remove_all(directory.path)
    assert left(elsewhere) == {"4.sha256", "drawn.png"}
