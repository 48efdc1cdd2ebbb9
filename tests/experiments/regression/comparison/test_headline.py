"""The first sentence of a comparison: its verb follows from direction, distance, loss and the shuffled labels."""

import re

import pytest

from analysis.report.generic import answer
from experiments.regression.comparison import alike

REFERENCE = "gradient_descent"
NUMBER = re.compile(r"[.\d]+ ± [.\d]+")
LEARNED = dict(cosine=0.9999, distance=0.016, loss=0.0005, zero=0.98, shuffled=1.18)  # one linear layer, as trained


def summary(error=0.001, seeds="1", own=(), **numbers):
    """The summary of a run, from its numbers beside the reference, whose loss is 1."""
    flat = {f"loss.{REFERENCE}": 1.0} | compared(error, **(LEARNED | numbers))
    for name, of_own in dict(own).items():
        flat |= {f"{name}.{key}": value for key, value in compared(error, **(LEARNED | of_own)).items()}
    return {
        "kind": "comparison", "experiment": "plain", "reference": REFERENCE, "claims": [],
        "settings": {"seeds": seeds}, "numbers": flat,
    }  # fmt: skip


def compared(error, cosine, distance, loss, zero, shuffled):
    values = {
        f"{REFERENCE}.sensitivity_cosine": cosine,
        f"{REFERENCE}.prediction_l2": distance,
        f"{REFERENCE}.loss_difference": loss,
        "mean.prediction_l2": zero,
        "shuffled.prediction_l2": shuffled,
    }
    errors = {f"{name}.stderr": error for name in values} if error is not None else {}
    return {name: value for name, value in (values | errors).items() if value is not None}


@pytest.mark.parametrize(
    ("numbers", "verb"),
    [
        ({}, "predicts as"),
        ({"seeds": "3"}, "predicts as"),
        ({"cosine": 0.97}, "predicts nearly as"),
        ({"loss": 0.05}, "predicts nearly as"),
        ({"distance": 0.2}, "predicts nearly as"),
        ({"cosine": 0.9}, "does not predict as"),
        ({"loss": 0.3}, "does not predict as"),
        ({"loss": -0.3}, "does not predict as"),
        # The same direction at half of the size, as after too few steps.
        ({"distance": 0.49, "zero": 0.49, "shuffled": 0.6}, "does not predict as"),
        # Labels play no part in its answers, whichever these are.
        ({"shuffled": 0.009}, "does not predict as"),
        ({"cosine": 0.96, "distance": 0.761, "zero": 0.46, "shuffled": 0.009}, "does not predict as"),
        # Errors are too large for either: of one seed by the normal distribution, of three by Student's t.
        ({"cosine": 0.97, "error": 0.015}, "does not clearly predict as"),
        ({"cosine": 0.97, "error": 0.008, "seeds": "3"}, "does not clearly predict as"),
        ({"cosine": 0.97, "error": 0.008}, "predicts nearly as"),
        # A run of before, without the control.
        ({"shuffled": None}, "does not clearly predict as"),
    ],
)
def test_the_verb_follows_from_all_numbers(numbers, verb):
    assert alike.verb(summary(**numbers)) == verb


def test_the_answer_has_the_numbers_that_its_verb_follows_from():
    said = answer(summary())
    assert said.startswith("The trained Transformer predicts as gradient descent. ")
    assert {"0.9999 ± 0.0010", "0.0160 ± 0.0010", "1.1800 ± 0.0010", "0.0005 ± 0.0010"} <= {*NUMBER.findall(said)}
    assert "diverged" in answer(summary(loss=float("nan")))


def test_a_sweep_names_its_points():
    points = {"a": summary(), "b": summary(cosine=0.97), "c": summary(shuffled=0.009), "d": summary()}
    said = answer({"points": points, "claims": [], "kind": "comparison"})
    assert "predicts as gradient descent at 2 of 4 points (a, d)" in said
    assert "predicts nearly as gradient descent at 1 of 4 points (b)" in said
    many = {str(place): summary() for place in range(9)}
    said = answer({"points": many | {"x": summary(cosine=0.5)}, "claims": [], "kind": "comparison"})
    assert "at 9 of 10 points (all but x)" in said
    points = {
        "a=1, b=1": summary(),
        "a=1, b=2": summary(),
        "a=2, b=1": summary(loss=0.3),
        "a=2, b=2": summary(loss=0.3),
    }
    assert "at 2 of 4 points (a=1, b=1; a=1, b=2)" in answer({"points": points, "claims": [], "kind": "comparison"})


def test_a_learner_of_the_users_own_has_a_verb_too():
    said = answer(summary(own={"mine": {}, "worse": {"loss": 0.3}}))
    assert "mine predicts as gradient descent and worse does not predict as gradient descent" in said
    assert "; worse: cosine of sensitivities 0.9999 ± 0.0010, difference of losses 0.3000 ± 0.0010; one seed" in said
    assert "worse:" not in answer({"points": {"a": summary(own={"worse": {}})}, "claims": [], "kind": "comparison"})
