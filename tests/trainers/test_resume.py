"""Runs that are stopped and go on are the runs that were never stopped."""

import errno
import itertools

import chex
import pytest

from experiments.regression.comparison.evaluation import oracle
from experiments.regression.comparison.run import session_of
from lab.config import points as composed
from lab.errors import UserError
from lab.runs import interrupt
from lab.runs.directory import RunDirectory
from tasks.task import Source
from tests.trainers.sessions import settings_of
from tests.trainers.small_runs import TINY, made, results, run
from trainers import launch, learner_store, resume
from trainers.population import at
from trainers.record import Record
from trainers.slice import RunSlice, runs_of

# Processes that compile anew are in tests/test_faults.py.
pytestmark = pytest.mark.usefixtures("compiled_once")


def finished(record):
    """As the command line would, which finds a run done or runs it."""
    launch.launch(composed.Point("", {}, record.settings, []), nested=True)


@pytest.fixture(autouse=True)
def _after_every_evaluation(monkeypatch):
    """However long saving takes."""
    monkeypatch.setattr(resume, "SHARE", float("inf"))


def stop_at(step, monkeypatch):
    """Ctrl-C in the evaluation of that step."""
    real = RunSlice.evaluated

    def evaluated(self, at, *rest):
        real(self, at, *rest)
        if at == step:
            monkeypatch.setattr(interrupt, "_received", 2)

    monkeypatch.setattr(RunSlice, "evaluated", evaluated)
    return real


def stopped_at(step, runs, monkeypatch):
    real = stop_at(step, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        run(runs)
    monkeypatch.setattr(interrupt, "_received", None)
    monkeypatch.setattr(RunSlice, "evaluated", real)


PROGRAM = (["seed=0", "seeds=2"], ["seed=5", "train.learning_rate=0.01", "seeds=2"])


@pytest.fixture(scope="module")
def whole(tmp_path_factory, compiled_once):
    """The results of the program that nobody stops. Tests must not change them."""
    runs = made(tmp_path_factory.mktemp("whole"), *PROGRAM)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(resume, "SHARE", float("inf"))
        run(runs)
    return results(runs)


@pytest.mark.parametrize("step", [pytest.param(0, marks=pytest.mark.slow), 4, pytest.param(8, marks=pytest.mark.slow)])
def test_a_stopped_program_goes_on_bit_for_bit(step, whole, tmp_path, monkeypatch, capsys):
    stopped_at(step, made(tmp_path / "stopped", *PROGRAM), monkeypatch)
    again = made(tmp_path / "stopped", *PROGRAM)
    assert resume.groups(again) == [again]
    capsys.readouterr()
    run(again)
    assert (f"going on from step {step}" in capsys.readouterr().out) == (step > 0)
    assert results(again) == whole
    assert again[0].checkpoints.steps == {8}, "for runs with the same training"


def test_the_newest_good_checkpoint_is_used(tmp_path, monkeypatch, capsys):
    stopped_at(6, made(tmp_path), monkeypatch)
    (one,) = made(tmp_path)
    assert one.checkpoints.steps == {4, 6}
    file = one.checkpoints.folder / "6.npz"
    file.write_bytes(file.read_bytes()[:-10])
    run([one])
    output = capsys.readouterr().out
    assert f"{file} is damaged" in output
    assert "going on from step 4" in output


DAMAGE = {
    "gone": lambda file: file.unlink(),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:99]),
    "another number": lambda file: file.write_text(file.read_text().replace("0.", "1.", 1)),
    "later lines": lambda file: file.write_text(2 * file.read_text()),
}


@pytest.fixture(scope="module")
def alone(tmp_path_factory, compiled_once):
    """The results of a single run that nobody stops."""
    runs = made(tmp_path_factory.mktemp("alone"))
    run(runs)
    return results(runs)


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_metrics_are_those_of_the_checkpoint_whatever_the_file_has(damage, alone, tmp_path, monkeypatch):
    stopped_at(6, made(tmp_path), monkeypatch)
    (one,) = made(tmp_path)
    file = one.directory.path / "metrics.jsonl"
    whole = file.read_text()
    damage(file)
    run([one])
    assert results([one]) == alone
    assert (one.directory.path / "metrics.jsonl").read_text().startswith(whole), "with its seconds"


@pytest.mark.slow
def test_without_a_good_one_it_stops_or_begins_anew_by_force(tmp_path, monkeypatch):
    stopped_at(6, made(tmp_path), monkeypatch)
    (one,) = made(tmp_path)
    for file in one.checkpoints.folder.iterdir():
        file.write_text("")
    with pytest.raises(UserError, match=r"no good checkpoint in .*run\.force=true"):
        run([one])
    (forced,) = made(tmp_path, words=["run.force=true"])
    run([forced])
    assert forced.directory.done


@pytest.mark.slow
def test_runs_that_were_not_killed_together_go_on_apart(tmp_path, monkeypatch):
    points = (["seed=0"], ["seed=1"], ["seed=2"])
    stopped_at(4, made(tmp_path, *points[:2]), monkeypatch)
    runs = made(tmp_path, *points)
    assert resume.groups(runs) == [runs[:2], runs[2:]]


@pytest.mark.slow
def test_a_program_killed_while_it_saves_goes_on_bit_for_bit(whole, tmp_path, monkeypatch):
    """At its first and its third save: one of its runs has the state of that step, the other the one before."""
    for killed in (1, 3):
        with monkeypatch.context() as patched:
            real, count = Record.save, itertools.count(1)

            def save(self, *arguments, real=real, count=count, last=killed):
                if next(count) > last:
                    raise KeyboardInterrupt
                real(self, *arguments)

            patched.setattr(Record, "save", save)
            with pytest.raises(KeyboardInterrupt):
                run(made(tmp_path / str(killed), *PROGRAM))
        again = made(tmp_path / str(killed), *PROGRAM)
        assert [len(one.steps) for one in again] == [min((killed + 1) // 2, 2), min(killed // 2, 2)]
        assert resume.groups(again) == [again]
        run(again)
        assert results(again) == whole


@pytest.mark.slow
def test_beside_one_that_failed_a_stopped_run_goes_on_bit_for_bit(tmp_path, monkeypatch):
    """The one that failed stays in the population, which is the same program then."""
    points = ["train.warmup=0"], ["train.warmup=0", "seed=5", "train.learning_rate=1e18"]
    whole = made(tmp_path / "whole", *points)
    run(whole)
    stopped_at(6, made(tmp_path, *points), monkeypatch)
    again = made(tmp_path, *points)
    assert resume.groups(again) == [again]
    run(again)
    assert results(again[:1]) == results(whole[:1])
    assert str(again[1].failure) == str(whole[1].failure)
    (failed,) = made(tmp_path, points[1])
    run([failed])
    assert str(failed.failure) == str(whole[1].failure), "also where the others are done"


def oracles_of(settings):
    return oracle(session_of(settings, [Source()] * len(settings)))


@pytest.mark.usefixtures("optimized")
def test_the_best_step_in_theory_is_that_of_the_point_alone():
    """Of a sweep that was killed between its last points, one is left and is measured alone."""
    settings = [settings_of(*TINY, f"task.scale={scale}") for scale in (0.7, 1.3, 1)]
    together = oracles_of(settings)
    for place, one in enumerate(settings):
        assert repr(at(together, [place])) == repr(oracles_of([one]))


@pytest.mark.slow
def test_a_program_killed_while_it_finishes_goes_on_bit_for_bit(whole, tmp_path, monkeypatch):
    """One run is done, and the other has its last state: it is measured by itself."""
    runs, real = made(tmp_path, *PROGRAM), Record.finish

    def finish(self):
        if self is runs[1]:
            raise KeyboardInterrupt
        real(self)

    with monkeypatch.context() as patched:
        patched.setattr(Record, "finish", finish)
        with pytest.raises(KeyboardInterrupt):
            run(runs)
    again = made(tmp_path, *PROGRAM)
    assert [one.place.done for one in again] == [True, False]
    run(again[1:])
    assert results(again) == whole


def test_two_cannot_work_in_one_directory(tmp_path):
    (one,) = made(tmp_path)
    with one.directory.locked(one.settings), pytest.raises(UserError, match="another process is at work there"):
        run(made(tmp_path))
    run(made(tmp_path))


def kept_learner_of(record, seed):
    (like,) = learner_store.structures(record.settings).values()
    member = learner_store.member_of(record.place, record.settings, seed)
    return learner_store.read(record.place, "transformer", like, member)


@pytest.mark.slow
def test_a_member_that_diverges_is_frozen_and_the_others_go_on(tmp_path, monkeypatch):
    """Seed 1 of three: its learner has a weight that is not a number when training begins."""
    from trainers.session import Session

    real = Session.start

    def broken(self, *arguments):
        real(self, *arguments)
        state = self.states["transformer"]
        block = state.learner.blocks[0]
        block.w_k[...] = block.w_k[...].at[1].set(float("nan"))

    monkeypatch.setattr(Session, "start", broken)
    (one,) = made(tmp_path, ["seeds=3"])
    run([one])
    assert one.failure is None
    summary = one.directory.read_summary()
    assert "seed 1" in summary["notes"][0]
    assert {row["seed"] for row in one.directory.read_table("curves")} == {0, 2}
    (diverged,) = one.directory.read_table("diverged")
    assert (diverged["seed"], diverged["step"]) == (1, 0)
    assert summary["notes"][0] == f"left out: {diverged['why']}"
    assert summary["tables"].count("diverged") == 1
    assert "spread" in summary["learners"]["transformer"]["loss"]
    kept_learner = kept_learner_of(one, 2)

    monkeypatch.setattr(Session, "start", real)
    (whole,) = made(tmp_path / "whole", ["seeds=3"])
    run([whole])
    assert not whole.directory.has_table("diverged")
    chex.assert_trees_all_equal(kept_learner, kept_learner_of(whole, 2))
    kept = [row for row in whole.directory.read_table("curves") if row["seed"] != 1]
    assert repr(one.directory.read_table("curves")) == repr(kept)


def test_a_full_disk_is_one_line_and_the_run_goes_on_later(tmp_path, monkeypatch):
    from lab.errors import explain

    (one,) = made(tmp_path)
    real = RunDirectory.append_metrics

    def full(self, line):
        if line["members"][0]["step"] == 6:
            raise OSError(errno.ENOSPC, "No space left on device", "metrics.jsonl")
        real(self, line)

    monkeypatch.setattr(RunDirectory, "append_metrics", full)
    with pytest.raises(OSError, match="No space left") as error:
        run([one])
    assert explain(error.value) == "cannot write metrics.jsonl (No space left on device); what is done is kept"
    monkeypatch.setattr(RunDirectory, "append_metrics", real)
    (again,) = made(tmp_path)
    assert again.checkpoints.steps == {2, 4}
    run([again])
    assert [row["step"] for row in again.directory.read_table("curves")] == [0, 2, 4, 6, 8]


def test_seeds_that_diverged_before_a_checkpoint_are_written_again(tmp_path):
    """And those that diverge after it beside them, into one table."""
    (one,) = made(tmp_path, ["seeds=3"])
    (its_run,) = runs_of([one], [Source()])
    rows = [{"seed": seed, "step": 4, "why": "the loss became nan"} for seed in (1, 2)]
    its_run.restore({"rows": [0, 2], "diverged": rows[:1]})
    assert its_run.seeds == [0, 2]
    assert its_run.extra == {"rows": [0, 2], "diverged": rows[:1]}
    one.table("diverged", rows)
    one.finish()
    assert one.directory.read_table("diverged") == rows
    assert one.directory.read_summary()["tables"] == ["diverged"]
