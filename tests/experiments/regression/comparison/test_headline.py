"""The first sentence of a comparison: its verb follows from direction, distance, loss and the shuffled labels."""

import pytest

from experiments.regression.comparison.report import answer_of_points, answer_of_run

REFERENCE, OTHERS = "gradient_descent", ("mean", "shuffled")
METRICS = ("sensitivity_cosine", "prediction_l2", "loss_difference")
LEARNED = dict(cosine=0.9999, distance=0.016, loss=0.0005, zero=0.98, shuffled=1.18)  # one linear layer, as trained


def summary(error=0.001, owner="", seeds="1", own=(), settings=(), **numbers):
    """The summary of a run with one layer, from its numbers beside the reference, whose loss is 1."""
    flat = compared(error, **(LEARNED | numbers))
    for name, of_own in dict(own).items():
        flat |= {f"{name}.{key}": value for key, value in compared(error, **(LEARNED | of_own)).items()}
    learners = {name: {"loss": {"mean": 1.0, "stderr": 0.1}} for name in ("transformer", REFERENCE, *dict(own))}
    return {
        "kind": "comparison", "experiment": "plain", "reference": REFERENCE, "oracle": None, "learners": learners,
        "claims": [], "settings": {"seeds": seeds} | dict(settings), "numbers": flat,
        "own_alignment": dict(own),
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
        ({}, "predicts as one step"),
        ({"seeds": "3"}, "predicts as one step"),
        ({"cosine": 0.97}, "predicts nearly as one step"),
        ({"loss": 0.05}, "predicts nearly as one step"),
        ({"distance": 0.2}, "predicts nearly as one step"),
        ({"cosine": 0.9}, "does not predict as one step"),
        ({"loss": 0.3}, "does not predict as one step"),
        ({"loss": -0.3}, "does not predict as one step"),
        # The same direction at half of the size, as after too few steps.
        ({"distance": 0.49, "zero": 0.49, "shuffled": 0.6}, "does not predict as one step"),
        # Labels play no part in its answers, whichever these are.
        ({"shuffled": 0.009}, "does not predict as one step"),
        ({"cosine": 0.96, "distance": 0.761, "zero": 0.46, "shuffled": 0.009}, "does not predict as one step"),
        # Errors are too large for either: of one seed by the normal distribution, of three by Student's t.
        ({"cosine": 0.97, "error": 0.015}, "does not clearly predict as one step"),
        ({"cosine": 0.97, "error": 0.008, "seeds": "3"}, "does not clearly predict as one step"),
        ({"cosine": 0.97, "error": 0.008}, "predicts nearly as one step"),
        # A run of before, without the control.
        ({"shuffled": None}, "does not clearly predict as one step"),
    ],
)
def test_the_verb_follows_from_all_numbers(numbers, verb):
    assert f"One trained layer {verb} of gradient descent does: " in answer_of_run(summary(**numbers))


def test_what_is_nearer_than_the_steps_is_named():
    answer = answer_of_run(summary(cosine=0.96, distance=0.761, zero=0.46, shuffled=0.009))
    assert "predictions 0.7610 ± 0.0010 away, while the constant 0 is 0.4600 ± 0.0010 away from them" in answer
    assert "with shuffled labels they change by 0.0090 ± 0.0010" in answer
    assert "constant 0" not in answer_of_run(summary())
    assert "they change by 1.1800 ± 0.0010" in answer_of_run(summary()), "the control is beside every verb"


def test_without_errors_it_says_so():
    assert "(no ± known)" in answer_of_run(summary(error=None))
    assert answer_of_run(summary(error=None)).endswith("one seed, no ± known.")
    assert "no ±" not in answer_of_run(summary())


def test_a_sweep_names_its_points():
    points = {"a": summary(), "b": summary(cosine=0.97), "c": summary(shuffled=0.009), "d": summary()}
    answer = answer_of_points({"points": points, "claims": [], "kind": "comparison"})
    assert "predicts as gradient descent does at 2 of 4 points (a, d) and nearly so at 1 of 4 points (b): " in answer
    many = {str(place): summary() for place in range(9)}
    answer = answer_of_points({"points": many | {"x": summary(cosine=0.5)}, "claims": [], "kind": "comparison"})
    assert "at 9 of 10 points (all but x)" in answer
    none = answer_of_points({"points": {"c": points["c"]}, "claims": [], "kind": "comparison"})
    assert none.startswith("The trained Transformer predicts as gradient descent does at 0 of 1 point: ")


def test_a_learner_of_the_users_own_has_a_verb_too():
    answer = answer_of_run(summary(own={"mine": {}, "worse": {"loss": 0.3}}))
    assert "mine predicts as one step of gradient descent: cosine of sensitivities 0.9999" in answer.replace(
        "Mine", "mine"
    )
    assert "worse does not predict as one step of gradient descent: " in answer
    assert "0.3000 ± 0.0010 above that" in answer
    points = {"a": summary(own={"mine": {}}), "b": summary(own={"mine": {"cosine": 0.5}}), "c": summary()}
    answer = answer_of_points({"points": points, "claims": [], "kind": "comparison"})
    assert "Mine predicts so at 1 of 2 points (a)" in answer
