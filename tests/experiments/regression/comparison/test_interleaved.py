"""Comparisons on interleaved tokens and of sine waves: what their runs leave, and what is refused."""

import numpy as np
import pytest

from tests.experiments.regression.comparison.test_circuits import run

pytestmark = pytest.mark.slow  # whole experiments


def test_a_run_on_interleaved_tokens(tmp_path, drawn_once):
    words = ["kind=comparison", "name=mine", "task=plain", "task.input_dim=2", "task.num_context=3"]
    directory = run(tmp_path, *words, "model.layout=interleaved", "model.first=linear")
    arrays = directory.read_arrays("circuits")
    by_hand = np.sqrt(3) * np.eye(7)
    by_hand[[0, 2, 4], [1, 3, 5]] = 1
    np.testing.assert_allclose(arrays["copying.constructed"], by_hand, atol=1e-5)
    assert arrays["copying.transformer"].shape == (7, 7)
    curves = directory.read_table("curves")
    assert {"copying.own", "copying.next", "copying.previous", "copying.others"} <= {*curves[0]}
    losses = {row["learner"]: row["mean"] for row in directory.read_table("learners")}
    assert losses["constructed"] == pytest.approx(losses["gradient_descent"], rel=1e-5)
    assert losses["further_descent"] < losses["gradient_descent"]
    assert "interpolated" not in losses
    layers = {(row["learner"], row["layer"]) for row in directory.read_table("layers")}
    assert {("transformer", 1.0), ("further_descent", 2.0), ("gd_plus_plus", 2.0)} <= layers
    assert ("transformer", 2.0) not in layers


def test_a_run_of_sine_waves(tmp_path, drawn_once):
    directory = run(tmp_path, "experiment=sine", "model.num_features=3", "model.hidden=4", "seeds=1")
    rows = directory.read_table("along")
    assert {row["prompt"] for row in rows} == {0, 1, 2}
    assert {"target", "context", "transformer", "learned_descent", "own_descent"} <= {row["learner"] for row in rows}
    assert len([row for row in rows if row["learner"] == "transformer"]) == 3 * 101
    assert len([row for row in rows if row["learner"] == "context"]) == 3 * 10
    parameters = directory.read_arrays("learner_transformer")
    shapes = sorted(array.shape for name, array in parameters.items() if "features" in name)
    assert shapes == [(1, 1, 4), (1, 3), (1, 4), (1, 4, 3)], "one seed in front"
