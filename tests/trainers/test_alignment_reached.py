"""What the lab is for: the trained Transformer is a step of gradient descent, on every task, by the default recipes."""

import pytest

from lab.config import points
from lab.runs.directory import RunDirectory
from trainers.launch import launch


def trained(tmp_path, *overrides):
    point = points.point([*overrides, "train.eval_every=1000", f"run.dir={tmp_path}"])
    launch(point)
    return RunDirectory.of(point.settings).read_summary()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cosine"), [("plain", 0.9995), ("rag_linear", 0.999), ("rag_dot", 0.999)])
def test_one_layer_becomes_one_step(name, cosine, tmp_path, optimized):
    """The bounds are the project's promises: the cosine; losses within 1%; predictions within 0.03; and the loss within
    0.5% of the best single step's, the difference taken on the same episodes (standard error below 0.05%)."""
    summary = trained(tmp_path, f"experiment={name}")
    numbers, learners = summary["numbers"], summary["learners"]
    assert numbers["gradient_descent.sensitivity_cosine"] >= cosine
    assert abs(numbers["gradient_descent.loss_difference"]) < 0.01 * numbers["loss.gradient_descent"]
    assert numbers["gradient_descent.prediction_l2"] < 0.03
    excess = summary["oracle"]["excess_of_transformer"]
    assert excess["stderr"] < 0.0005 * summary["oracle"]["loss"]
    assert abs(excess["mean"]) < 0.005 * summary["oracle"]["loss"]
    assert abs(learners["gradient_descent"]["eta"] / summary["oracle"]["eta"] - 1) < 0.01


@pytest.mark.slow
def test_a_stack_becomes_gd_plus_plus(tmp_path, optimized):
    """The project's promise for two layers by the recipe of `depth`: the published code's loss, .11365, is beaten."""
    summary = trained(tmp_path, "experiment=depth", "~parts", "figure=training", "model.num_layers=2")
    assert summary["learners"]["transformer"]["loss"]["mean"] <= 0.1135
    assert summary["numbers"]["gd_plus_plus.sensitivity_cosine"] >= 0.9995
    layers_table = next(tmp_path.glob("depth/*/layers.csv")).read_text().splitlines()
    assert sum(line.startswith("transformer,") for line in layers_table) == 2, "every layer has a read-out"
