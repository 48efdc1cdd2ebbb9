"""A training stops when its loss is flat or near the optimal one: the tests by hand, and runs that stop and go on."""

import numpy as np
import pytest

from experiments.regression.comparison import files
from lab.config.choices import Until
from lab.config.identity import config_hash, program_key, training_hash
from lab.config.training import Training
from lab.errors import ConfigError
from tests.command_line import check_refused, lab_here
from tests.trainers.sessions import settings_of
from tests.trainers.small_runs import made, results, run
from trainers import early_stopping, resume
from trainers.early_stopping import is_flat, is_optimal
from trainers.recipe import Recipe, schedule

FLAT = ["train.steps=16", "train.until=flat", "train.tolerance=1"]  # a loss above zero falls by less than itself
STOP = 12  # the first of the even steps s with two of them in (s/4, s/2] and in (s/2, s]


def losses(loss, last=64):
    return [(step, loss(step)) for step in range(0, last + 1, 2)]


@pytest.mark.parametrize("power", [0.1, 0.5, 1.0])
def test_a_power_law_is_flat_by_what_doubling_the_steps_gains(power):
    """Means over (s/2, s] and (s/4, s/2] of a power law have the ratio 2^-power; sums over 8 and 16 steps are within a
    tenth of the integrals that have it."""
    curve, gain = losses(lambda step: max(step, 1) ** -power), 1 - 2**-power
    assert is_flat(curve, 1.1 * gain)
    assert not is_flat(curve, 0.9 * gain)


def test_a_loss_is_flat_by_the_means_of_its_last_half_and_the_quarter_before():
    curve = [(0, 9.0), (2, 8.0), (4, 4.0), (6, 2.0), (8, 2.0), (10, 2.5), (12, 2.4)]
    gain = (3.0 - 2.3) / 3.0  # of steps 4 and 6, and of 8, 10 and 12
    assert is_flat(curve, gain + 1e-9)
    assert not is_flat(curve, gain - 1e-9)
    assert is_flat([(step, -loss) for step, loss in curve], 1e-9), "it rises"


def test_it_takes_two_losses_in_each_part():
    curve = losses(lambda step: 1.0)
    first = next(end for end in range(1, len(curve) + 1) if is_flat(curve[:end], 0.01))
    assert curve[first - 1][0] == STOP


def test_near_the_optimal_loss_is_a_share_of_it():
    assert is_optimal(1.01, 1.0, 0.0101)
    assert not is_optimal(1.01, 1.0, 0.0099)
    assert is_optimal(4.03, 4.0, 0.01)
    assert is_optimal(0.9, 1.0, 0.01), "on few episodes"
    assert is_optimal(-0.99, -1.0, 0.0101)


def test_each_seed_counts_and_the_optimal_loss_must_be_there():
    train = Training(until=Until.optimal)
    rows = [{"step": 0, "seed": seed, "loss.it": 2.0, "loss.optimal": 1.0} for seed in (0, 1)]
    near = [row | {"step": 2, "loss.it": 1.001} for row in rows]
    assert early_stopping.by_curves(train, rows + near, "it")
    assert not early_stopping.by_curves(train, [*rows, near[0], rows[1] | {"step": 2}], "it")
    assert not early_stopping.by_curves(Training(), rows + near, "it")
    with pytest.raises(ConfigError, match=r"train\.until=optimal: .*allowed: flat"):
        early_stopping.by_curves(train, [{"step": 0, "seed": 0, "loss.it": 2.0}], "it")
    with pytest.raises(ConfigError, match=r"prefix\.until=optimal: .*allowed: flat"):
        early_stopping.by_training_losses(train, [(2, [1.0])], "prefix")


def test_the_share_of_the_rate_is_that_of_the_schedule():
    """A line up to the end of the warm-up, then half a cosine down to zero."""
    assert Recipe(100, 1).warmup == 0.05
    for step, share in ((0, 0.0), (5, 1.0), (100, 0.0), (24, 0.5 * (1 + np.cos(np.pi * 19 / 95)))):
        np.testing.assert_allclose(schedule(100, 0.05)(step), share, atol=1e-6)


def test_it_is_part_of_what_a_run_is_and_such_a_run_is_alone():
    plain, other = settings_of("experiment=plain"), settings_of("experiment=plain", "seed=1")
    flat, flat_other = (settings_of("experiment=plain", "train.until=flat", f"seed={seed}") for seed in (0, 1))
    for identity in (config_hash, training_hash, program_key):
        assert identity(flat) != identity(plain)
    assert program_key(plain) == program_key(other)
    assert program_key(flat) != program_key(flat_other), "otherwise one could stop the other"


@pytest.fixture(autouse=True)
def _after_every_evaluation(monkeypatch):
    """However long saving takes."""
    monkeypatch.setattr(resume, "SHARE", float("inf"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory, compiled_once):
    (one,) = made(tmp_path_factory.mktemp("until"), words=[*FLAT, "seeds=2"])
    run([one])
    return one


def stopped_of(record):
    summary = record.directory.read_summary()
    return summary["stopped"], [note for note in summary["notes"] if "stopped at step" in note]


def test_a_run_stops_where_the_test_says_and_says_so(whole):
    assert max(row["step"] for row in whole.curves) == STOP
    stopped, notes = stopped_of(whole)
    assert stopped["the training"] | {"share_of_rate": None} == {
        "step": STOP, "of": 16, "until": "flat", "share_of_rate": None,
    }  # fmt: skip
    assert notes[0].startswith(f"the training stopped at step {STOP} of 16, as the loss fell by less than 1 of itself")
    assert len(notes) == 1


def test_until_then_it_is_the_run_that_does_not_stop(whole, tmp_path):
    (longer,) = made(tmp_path, words=["train.steps=16", "seeds=2"])
    run([longer])
    rows = [row for row in longer.curves if row["step"] <= STOP]
    assert rows == whole.curves
    assert "stopped" not in longer.directory.read_summary()


def test_killed_after_its_last_step_it_trains_no_further(whole, tmp_path, monkeypatch):
    """Its state of that step is there, and what follows from the kept curves: it stops."""

    def killed(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(files, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            run(made(tmp_path, words=[*FLAT, "seeds=2"]))
    check_same_after(STOP, tmp_path, whole)


@pytest.mark.slow
def test_killed_before_it_goes_on_to_the_same_stop(whole, tmp_path, monkeypatch):
    real = early_stopping.by_curves

    def by_curves(train, curves, subject):
        if curves[-1]["step"] > 6:
            raise KeyboardInterrupt
        return real(train, curves, subject)

    with monkeypatch.context() as patched:
        patched.setattr(early_stopping, "by_curves", by_curves)
        with pytest.raises(KeyboardInterrupt):
            run(made(tmp_path, words=[*FLAT, "seeds=2"]))
    check_same_after(6, tmp_path, whole)


def check_same_after(step, folder, whole):
    """A run whose last state is of that step goes on to what the undisturbed run left."""
    (again,) = made(folder, words=[*FLAT, "seeds=2"])
    assert max(again.checkpoints.steps) == step
    run([again])
    assert results([again]) == results([whole])
    assert stopped_of(again) == stopped_of(whole)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["experiment=plain", "train.until=soon"], "train.until=soon"),
        (["experiment=plain", "train.until=flat", "train.tolerance=0"], "train.tolerance=0"),
        (["experiment=speed", "train.until=flat"], "train.until: nothing is trained to its end here"),
        (["experiment=momentum_attention", "train.until=flat"], "train.until: runs are compared after half"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(words, line, tmp_path):
    check_refused(lab_here(*words, cwd=tmp_path), line)
