"""Comparisons on interleaved tokens and of sine waves: what their runs leave, what is refused, and their claims."""

import dataclasses

import numpy as np
import pytest

from analysis import figures
from analysis.tables.select import Row
from experiments.regression.comparison.figures import interleaved
from tests.command_line import check_refused, lab_here
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


PLAIN = ["task=plain", "model.layout=interleaved"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*PLAIN, "model.features=mlp"], "model.features=mlp: interleaved tokens show inputs as they are"),
        ([*PLAIN, "baselines.init_std=0.1"], "baselines.init_std=0.1: "),
        ([*PLAIN, "model.clip=2"], "model.clip=2.0: must be null"),
        ([*PLAIN, "shift.num_context=[5]"], "shift.num_context: "),
        (["task=rag_dot", "model.layout=interleaved"], "choose model.injection=none"),
        (["task=plain", "model.num_features=3"], "it needs model.features=mlp"),
        (["task=plain", "model.features=residual", "model.num_features=3"], "it needs model.features=mlp"),
        (["task=sine"], "task=sine: its queries see some of the examples each"),
        (["task=sine_regression", "task.input_dim=2"], "task.input_dim=2: must be"),
    ],
)
def test_settings_that_do_not_fit_are_one_line(words, message, tmp_path):
    check_refused(lab_here("kind=comparison", "name=mine", *words, cwd=tmp_path), message)


def test_speed_is_measured_on_merged_tokens(tmp_path):
    done = lab_here("experiment=speed", "~parts", "model.layout=interleaved", cwd=tmp_path)
    (line,) = done.stderr.splitlines()
    assert "model.layout=interleaved: speed is measured on merged tokens" in line


PLACES = ("part", "evaluation", "learner", "step")


class Tables:
    """Numbers of three seeds, which differ by 1e-4."""

    def __init__(self, **tables):
        self.tables = {name: [_row(row, seed) for row in rows for seed in range(3)] for name, rows in tables.items()}

    def has_table(self, name):
        return name in self.tables

    def read_table(self, name):
        return self.tables[name]


def _row(row, seed):
    numbers = {name: value + 1e-4 * seed for name, value in row.items() if name not in PLACES}
    return Row(row | numbers | {"seed": float(seed)})


def at_end(learner, loss, part="", **alignment):
    return {"part": part, "evaluation": "test", "learner": learner, "loss": loss} | alignment


def interleaved_tables(trained, cosine, others, left):
    """One step has the loss 1, two have .8; GD++ has the cosine .95; distances are `left` at the end."""
    seeds, curves = [], []
    for part in ("softmax", "linear"):
        seeds += [
            at_end("transformer", trained[part], part),
            at_end("gradient_descent", 1.0, part),
            at_end("further_descent", 0.8, part),
            at_end("constructed", 1.0, part, sensitivity_cosine=cosine),
            at_end("gd_plus_plus", 0.7, part, sensitivity_cosine=0.95),
        ]
        for step, distance in ((0.0, 1.0), (2.0, 0.5), (4.0, left)):
            curves.append(
                {"part": part, "step": step, "constructed.prediction_l2": distance}
                | {"constructed.sensitivity_l2": distance, "copying.others": others, "copying.next": 1.0}
                | {"copying.previous": 0.01}
            )
    return Tables(seeds=seeds, curves=curves)


@pytest.mark.parametrize(
    ("trained", "cosine", "others", "left", "expected"),
    [
        ({"softmax": 1.01, "linear": 1.5}, 0.999, 0.01, 0.05, [True] * 5),
        ({"softmax": 0.7, "linear": 0.7}, 0.9, 0.5, 0.5, [False] * 5),
        ({"softmax": 0.9, "linear": 1.5}, 0.999, 0.01, 0.2, [False, True, False, True, True]),
    ],
)
def test_claims_of_interleaved_tokens(trained, cosine, others, left, expected):
    directory = interleaved_tables(trained, cosine, others, left)
    by_criteria = [dataclasses.replace(claim, controls=()) for claim in interleaved.CLAIMS]
    assert [claim.evaluate(directory, {})["holds"] for claim in by_criteria] == expected


def test_their_figures_are_registered():
    for name in ("interleaved", "sine"):
        assert figures.load(name).CLAIMS
