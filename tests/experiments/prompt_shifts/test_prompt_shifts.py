"""The kind `prompt_shifts`: a tiny run with the decoders it starts from; its claims on made-up tables."""

import csv

import pytest

from experiments.prompt_shifts import figure as prompt_shifts
from lab.config.compose import register
from tests.command_line import check_refused, lab_here, lab_once
from tests.run_files import check_experiment

register()
WORDS = ["train.steps=4", "train.eval_every=2", "train.batch_size=8", "eval.episodes=20", "test_episodes=20",
         "model.width=8", "model.num_heads=2", "model.mlp_width=8", "model.num_layers=1", "task.num_context=7",
         "task.input_dim=2", "grid=[]", "baselines.names=[]"]  # fmt: skip
TINY = ["experiment=prompt_shifts", "model.seeds=2", "episodes=30", "scales=[0.5,2]"]


def words(*more):
    quoted = ",".join(f"'{word}'" for word in (*WORDS, "figure=functions", *more))
    return f"model.words=[{quoted}]"


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["merged", "interleaved"])
def test_every_shift_is_measured_on_decoders_of_either_layout(layout, tmp_path_factory):
    """A decoder of interleaved tokens has tokens of their own for queries that are not the context's inputs."""
    done, folder = lab_once(tmp_path_factory, f"prompt_shifts_{layout}", [*TINY, words(f"model.layout={layout}")])
    assert done.returncode == 0, done.stderr
    (directory,) = (folder / "runs" / "prompt_shifts").iterdir()
    check_experiment(directory, "prompt_shifts")
    with open(directory / "shifts.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["shift"], row["value"]) for row in rows} == {
        *((shift, "1.0") for shift in ("same", "skewed", "subspace", "orthants", "orthogonal", "repeated", "noise")),
        *((f"scale of {what}", value) for what in "xf" for value in ("0.5", "2.0")),
    }
    assert {row["seed"] for row in rows} == {"0", "1"}
    exact = {
        (row["shift"], row["value"]): float(row["error"])
        for row in rows
        if row["learner"] == "least_squares" and row["examples"] == "6" and row["seed"] == "0"
    }
    assert ("orthogonal", "1.0") not in exact  # after so many examples no direction is left
    assert exact.pop(("noise", "1.0")) > 0.01
    assert max(exact.values()) < 1e-4
    orthogonal = [float(row["error"]) for row in rows if (row["shift"], row["examples"]) == ("orthogonal", "1")]
    assert max(orthogonal) > 0.3  # least squares answers 0 there, so its error is that of E f^2


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (["model.experiment=shifted_classes", "model.words=[]"], "it keeps no decoder of functions"),
        (["model.words=[]"], "it keeps no decoder of functions"),
        (["model.words=['grid=[]','task=sine','figure=functions']"], "task=sine: shifts of the prompt are of linear"),
    ],
)
def test_models_that_do_not_fit_are_one_line(model, message, tmp_path):
    check_refused(lab_here("experiment=prompt_shifts", *model, cwd=tmp_path), message)


def made_up(shift, value, *errors, learner="decoder"):
    return [
        {"shift": shift, "value": value, "seed": float(seed), "learner": learner, "examples": float(count),
         "error": error + 0.001 * seed}
        for seed in range(3)
        for count, error in enumerate(errors)
    ]  # fmt: skip


class Directory:
    """d = 2: queries orthogonal to the examples end after one example."""

    def __init__(self, scaled, noisy, across, lopsided, orthogonal, repeated):
        best = (1.0, 0.5, 0.1, 0.1, 0.1)
        self.rows = made_up("same", 1.0, *best)
        for shift, error in (("orthants", across), ("skewed", lopsided), ("subspace", lopsided)):
            self.rows += made_up(shift, 1.0, *best[:4], error)
        for shift in ("scale of x", "scale of f"):
            self.rows += made_up(shift, 2.0, *best) + made_up(shift, 3.0, *best[:4], scaled)
        self.rows += made_up("noise", 1.0, *best[:4], noisy)
        self.rows += made_up("noise", 1.0, *best[:4], 0.4, learner="least_squares")
        self.rows += made_up("orthogonal", 1.0, 1.0, orthogonal) + made_up("repeated", 1.0, 1.0, repeated)
        self.rows += made_up("orthogonal", 1.0, 1.0, 1.0, learner="least_squares")

    def has_table(self, name):
        return name == "shifts"

    def read_table(self, name):
        return self.rows


@pytest.mark.parametrize(
    ("errors", "holds"), [((0.15, 0.45, 0.15, 0.15, 1.05, 0.4), True), ((0.3, 0.6, 0.3, 0.3, 1.3, 0.6), False)]
)
def test_claims(errors, holds):
    verdicts = [claim.evaluate(Directory(*errors), {})["holds"] for claim in prompt_shifts.CLAIMS]
    assert verdicts == [holds] * 6
