"""Momentum attention, heavy-ball descent and learners of higher order in a comparison: what a run leaves of them."""

import numpy as np
import pytest

from analysis.tables.in_memory import Tables
from experiments.regression.comparison.figures import higher_order
from lab.runs.directory import RunDirectory
from tests.experiments.regression.comparison.test_circuits import run


def test_the_figure_has_every_learner_in_every_panel():
    rows = [
        {"part": part, "num_layers": layers, "seed": seed, "evaluation": "test", "learner": learner,
         "loss": 0.1 * (1 + 0.1 * seed)}
        for part in higher_order.TITLES
        for learner in higher_order.LEARNERS
        for layers in (1, 2)
        for seed in range(3)
    ]  # fmt: skip
    figure = higher_order.draw(Tables(seeds=rows))
    assert [len(axes.containers) for axes in figure.axes] == [len(higher_order.LEARNERS)] * 2


@pytest.mark.slow
def test_etas_and_meta_trained_descents_are_in_the_tables(tmp_path):
    momentum = ["model.layer=momentum", "model.num_layers=2", "model.num_heads=2", "model.recurrent=false"]
    asked = ["baselines.heavy_ball=true", "baselines.higher_order=true"]
    directory = run(tmp_path, "experiment=plain", "task=skewed", *momentum, *asked, "seeds=2", "seed=3")
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
    losses = {row["learner"]: row["mean"] for row in directory.read_table("learners")}
    assert {"preconditioned", "newton", "four_rates"} <= losses.keys()
    assert losses["four_rates"] != losses["gd_plus_plus"]


@pytest.mark.slow
def test_none_is_where_it_is_not_asked_for(folder):
    directory = RunDirectory(folder)
    assert not directory.has_table("etas")
    assert not {"heavy_ball", "newton"} & directory.read_summary()["learners"].keys()
    assert not any("heavy_ball" in name for name in directory.read_table("curves")[0])
