"""The kind `prompt_shifts`: a tiny run with the decoders it starts from; its claims on made-up tables."""

import pytest

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.in_memory import Tables
from experiments.demonstrations.prompt_shifts import results
from tests.command_line import check_refused, lab_here
from tests.run_files import check_experiment, table
from tests.tiny_runs import tiny_run, words_of

WORDS = words_of("prompt_shifts")


@pytest.mark.slow
def test_every_shift_is_measured(tmp_path_factory):
    check_shifts(tiny_run(tmp_path_factory, "prompt_shifts").directory)


@pytest.mark.slow
def test_every_shift_is_measured_on_interleaved_tokens(tmp_path):
    """There are tokens of their own for queries that are not the context's inputs."""
    words = [word.replace("']", "','model.layout=interleaved']") for word in WORDS]
    done = lab_here(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (directory,) = (tmp_path / "runs" / "prompt_shifts").iterdir()
    check_experiment(directory, "prompt_shifts")
    check_shifts(directory)


def check_shifts(directory):
    rows = table(directory, "shifts")
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
        (["scales=[0.5,2,0.5]"], "scales=[0.5,2.0,0.5]: each once"),
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


def shifted(scaled, noisy, across, lopsided, orthogonal, repeated):
    """d = 2: queries orthogonal to the examples end after one example."""
    best = (1.0, 0.5, 0.1, 0.1, 0.1)
    rows = made_up("same", 1.0, *best)
    for shift, error in (("orthants", across), ("skewed", lopsided), ("subspace", lopsided)):
        rows += made_up(shift, 1.0, *best[:4], error)
    for shift in ("scale of x", "scale of f"):
        rows += made_up(shift, 1.0, *best) + made_up(shift, 3.0, *best[:4], scaled)
    rows += made_up("noise", 1.0, *best[:4], noisy)
    rows += made_up("noise", 1.0, *best[:4], 0.4, learner="least_squares")
    rows += made_up("orthogonal", 1.0, 1.0, orthogonal) + made_up("repeated", 1.0, 1.0, repeated)
    return rows + made_up("orthogonal", 1.0, 1.0, 1.0, learner="least_squares")


@pytest.mark.parametrize(
    ("errors", "holds"), [((0.15, 0.45, 0.15, 0.15, 1.05, 0.4), True), ((0.3, 0.6, 0.3, 0.3, 1.3, 0.6), False)]
)
def test_claims(errors, holds):
    verdicts = [claim.evaluate(Tables(shifts=shifted(*errors)), {})["holds"] for claim in results.CLAIMS]
    assert verdicts == [holds] * 5


@pytest.mark.parametrize(("gained", "learned"), [(0.9, True), (0.5, False), (0.0, False)])
def test_no_verdict_on_a_decoder_that_has_not_learned(gained, learned):
    rows = [row for row in shifted(0.15, 0.45, 0.15, 0.15, 1.05, 0.4) if row["shift"] != "same"]
    rows += made_up("same", 1.0, *[1.0] * 4, 1 - 0.9 * gained)
    rows += made_up("same", 1.0, *[1.0] * 4, 0.1, learner="least_squares")
    claim = Claim("It is so.", own(), "", lambda _: [above("number", exact(1.0))])
    outcome = claim.evaluate(Tables(shifts=rows), {}, results.CONTROLS)["outcome"]
    assert outcome == (Outcome.HOLDS if learned else Outcome.NOT_REACHED)
