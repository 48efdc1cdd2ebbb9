"""A comparison with momentum attention and heavy-ball descent: what a run leaves of both."""

import numpy as np
import pytest

from experiments.regression.comparison import run as experiment
from lab.runs.directory import RunDirectory
from tests.command_line import TINY
from tests.tiny_runs import tiny_run
from tests.trainers.sessions import records_of
from trainers import pending

pytestmark = pytest.mark.slow  # whole experiments


def run(path, *words):
    """A whole tiny run, and its directory."""
    (record,) = records_of(words=["experiment=plain", *words, *TINY, f"run.dir={path}"])
    with pending.at_work([record]):
        experiment.run([record])
    return record.directory


def test_etas_and_heavy_ball_descent_are_in_the_tables(tmp_path):
    momentum = ["model.layer=momentum", "model.num_layers=2", "model.num_heads=2", "model.recurrent=false"]
    directory = run(tmp_path, *momentum, "baselines.heavy_ball=true", "seeds=2", "seed=3")
    rows, arrays = directory.read_table("etas"), directory.read_arrays("learner_transformer")
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        logit = arrays[f".blocks[{row['block']:.0f}].logit.value"][int(row["seed"]) - 3, int(row["head"])]
        assert row["eta"] == pytest.approx(1 / (1 + np.exp(-logit)), rel=1e-6)
        assert row["eta"] != 0.5, "it is trained"
    heavy_ball = directory.read_summary()["learners"]["heavy_ball"]
    assert heavy_ball["eta"] > 0
    assert heavy_ball["beta"] != 0, "it is trained"
    for table, name in (("curves", "loss.heavy_ball"), ("curves", "heavy_ball.prediction_l2")):
        assert all(np.isfinite(row[name]) for row in directory.read_table(table))
    assert {row["layer"] for row in directory.read_table("layers") if row["learner"] == "heavy_ball"} == {1, 2}


def test_neither_is_where_it_is_not_asked_for(tmp_path_factory):
    directory = RunDirectory(tiny_run(tmp_path_factory, "comparison").directory)
    assert not directory.has_table("etas")
    assert "heavy_ball" not in directory.read_summary()["learners"]
    assert not any("heavy_ball" in name for name in directory.read_table("curves")[0])
