"""Sweeps whose points another process is at work on."""

import threading

import pytest

from lab.config.points import point
from lab.runs.directory import RunDirectory
from tests.command_line import lab_here
from trainers import launch

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
