"""Runs that another process is at work on."""

import threading

import pytest

from lab.config.points import point
from lab.runs.directory import RunDirectory
from tests.command_line import lab_here
from trainers import done, launch
from trainers.pending import at_work, records_of

WORDS = ["experiment=dual_form", "cases=2", "topics=[linear]"]


@pytest.mark.slow
@pytest.mark.parametrize("locked", ["a point", "a sweep in a sweep"])
def test_a_sweep_waits_for_what_another_process_makes(locked, tmp_path, monkeypatch):
    from filelock import FileLock

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
    assert lab_here(*WORDS, cwd=tmp_path).returncode == 0
    each = point(WORDS)
    monkeypatch.setattr(done, "_is_outdated", lambda each: True)  # of the result that was there before
    done.reopen_outdated([each])
    assert RunDirectory.of(each.settings).done


def test_a_point_whose_job_was_killed_before_it_was_renamed_is_gathered(tmp_path):
    words = ["-m", *WORDS, "seed=1,2"]
    assert lab_here(*words, cwd=tmp_path).returncode == 0
    for each in point([*WORDS, 'grid=["seed=1,2"]']).points:
        place = tmp_path / RunDirectory.of(each.settings).path
        place.rename(f"{place}.tmp")
    gathered = lab_here(*words, "sweep.stage=gather", cwd=tmp_path)
    assert gathered.returncode == 0, gathered.stderr
    assert len([*tmp_path.glob("runs/*/*/DONE")]) == 3
