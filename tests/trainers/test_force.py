"""`run.force=true`: the earlier result stays until there is another, and files of the user's stay in any case; and runs
that another process is at work on."""

import threading

import pytest
from filelock import FileLock

from experiments.duals.dual_form import run as dual_form
from lab.config.points import point
from lab.errors import Diverged
from lab.runs.directory import RunDirectory
from tests.command_line import TINY, lab_here, ran
from tests.run_files import directory_of
from trainers import done as finished
from trainers import launch
from trainers.pending import at_work, records_of

WORDS = ["experiment=dual_form", "cases=2", "topics=[linear]"]
real = dual_form.run


def broken(records):
    records[0].table("identities", [{"half": 1}])
    raise Diverged("the loss is no number")


def killed(records):
    real(records)
    raise SystemExit(9)


def content(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


@pytest.mark.parametrize("fault", [broken, killed])
def test_the_earlier_result_stays_until_there_is_another(fault, tmp_path, monkeypatch):
    ran(*WORDS, cwd=tmp_path)
    path = directory_of(tmp_path)
    (path / "notes.md").write_text("mine")
    before = content(path)
    with monkeypatch.context() as patched:
        patched.setattr(dual_form, "run", fault)
        assert lab_here(*WORDS, "run.force=true", cwd=tmp_path).returncode in (1, 9)
    assert content(path) == before
    assert "already done" in lab_here(*WORDS, cwd=tmp_path).stdout

    forced = ran(*WORDS, "run.force=true", cwd=tmp_path)
    assert "already done" not in forced.stdout
    after = content(path)
    assert after.keys() == before.keys()
    assert after["notes.md"] == b"mine"
    assert after["summary.json"] != before["summary.json"], "its seconds"


def test_a_sweep_says_that_a_repetition_failed_and_keeps_the_earlier_results(tmp_path, monkeypatch):
    """Its own and its points'."""
    words = ["-m", *WORDS, "seed=1,2"]
    ran(*words, cwd=tmp_path)
    before = {path: content(path.parent) for path in tmp_path.glob("runs/*/*/DONE")}
    assert len(before) == 3
    with monkeypatch.context() as patched:
        patched.setattr(dual_form, "run", broken)
        done = lab_here(*words, "run.force=true", cwd=tmp_path)
    assert done.returncode == 1
    assert "every point failed: seed=1 and seed=2: the loss is no number" in done.stderr
    assert {path: content(path.parent) for path in tmp_path.glob("runs/*/*/DONE")} == before
    ran(*words, cwd=tmp_path)
    assert len([*tmp_path.glob("runs/*/*/DONE")]) == 3


MINE = ["notes.txt", "figures/sketch.png", "checkpoints/notes.txt", "checkpoints/4/notes.txt", "partial/notes.txt",
        "tensorboard/notes.txt"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("done", [True, False])
def test_files_of_the_user_s_stay_in_every_folder(done, tmp_path):
    """Of a run that is done or not."""
    words = ["experiment=plain", *TINY, "checkpoint.every=0"]
    ran(*words, cwd=tmp_path)
    path = directory_of(tmp_path)
    before = content(path)
    for name in MINE:
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text("mine")
    if not done:
        (path / "DONE").unlink()
    ran(*words, "run.force=true", cwd=tmp_path)
    after = content(path)
    assert {name: after[name] for name in MINE} == dict.fromkeys(MINE, b"mine")
    assert after.keys() - set(MINE) == before.keys()
    other = ran(*words, "baselines.ridge_penalty=0.1", cwd=tmp_path)
    assert "the training is that of" in other.stdout, "the saved state is whole"


@pytest.mark.slow
@pytest.mark.parametrize("locked", ["a point", "a sweep in a sweep"])
def test_a_sweep_waits_for_what_another_process_makes(locked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if locked == "a point":
        words, inner = ["-m", *WORDS, "seed=1,2"], [*WORDS, "seed=1"]
    else:
        part = "'experiment=dual_form','grid=[\"seed=1,2\"]'"
        words = ["experiment=dual_form", "name=outer", f"+parts.x=[{part}]", "cases=2", "topics=[linear]"]
        inner = point(words).points[0].words
    directory = RunDirectory.of(point(inner).settings)
    place = directory.path
    directory.lock.parent.mkdir(parents=True)
    lock = FileLock(directory.lock, thread_local=False)
    lock.acquire()
    timer, wait = threading.Timer(0.5, lock.release), launch._wait

    def waits(*arguments):
        timer.start()  # the other process ends while this one waits
        wait(*arguments)

    monkeypatch.setattr(launch, "_wait", waits)
    done = lab_here(*words, cwd=tmp_path)
    timer.join()
    assert done.returncode == 0, done.stderr
    assert f"waiting, {place.relative_to(place.parents[2])}: another process is at work there" in done.stdout
    assert not [*tmp_path.glob("runs/*/*/FAILED")]
    assert (place / "DONE").exists()


@pytest.mark.parametrize("renamed", [True, False])
def test_a_run_that_another_process_has_finished_before_the_lock_is_not_made_again(renamed, tmp_path, monkeypatch):
    """Nor where that was killed just before it renamed the run."""
    monkeypatch.chdir(tmp_path)
    each = point(WORDS)
    records, directory = records_of([each]), RunDirectory.of(each.settings)
    directory.unfinished.begin(each.settings)
    directory.unfinished.finish()
    if renamed:
        directory.take_place()
    with at_work(records) as left:
        assert left == []
    assert directory.done


def test_an_outdated_run_that_another_process_has_made_again_before_the_lock_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran(*WORDS, cwd=tmp_path)
    each = point(WORDS)
    monkeypatch.setattr(finished, "_is_outdated", lambda each: True)  # of the result that was there before
    finished.reopen_outdated([each])
    assert RunDirectory.of(each.settings).done


def test_a_point_whose_job_was_killed_before_it_was_renamed_is_gathered(tmp_path):
    words = ["-m", *WORDS, "seed=1,2"]
    ran(*words, cwd=tmp_path)
    for each in point([*WORDS, 'grid=["seed=1,2"]']).points:
        place = tmp_path / RunDirectory.of(each.settings).path
        place.rename(f"{place}.tmp")
    ran(*words, "sweep.stage=gather", cwd=tmp_path)
    assert len([*tmp_path.glob("runs/*/*/DONE")]) == 3
