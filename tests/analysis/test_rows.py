"""From statistics over a population to what is reported."""

import numpy as np
import pytest

from analysis.metrics.theory import Oracle
from analysis.tables import rows as to_rows


def of(mean, stderr, left_out=0, common=0.0):
    numbers = {"mean": mean, "stderr": stderr, "common": [common] * 3, "left_out": [left_out, 0, 0]}
    return {name: np.array(values) for name, values in numbers.items()}


def seen():
    alignment = {
        "prediction_l2": of([1.0, 2.0, 6.0], [0.1, 0.2, 0.3]),
        "sensitivity_cosine": of([0.9, 0.9, 0.9], [0.0, 0.0, 0.0], left_out=4),
        "sensitivity_l2": of([1.0, 1.0, 1.0], [0.1, 0.1, 0.1]),
        "loss_difference": of([0.5, 0.5, 0.8], [0.1, 0.1, 0.1]),
    }
    loss = of([1.0, 2.0, 6.0], [0.1, 0.2, 0.3])
    names = ("gradient_descent", "oracle", "transformer")
    return {"loss": {name: loss for name in names}, "alignment": {name: alignment for name in names[:2]}}


def test_summary_of_known_numbers():
    """Mean 3, deviation sqrt((4 + 1 + 9) / 2) over three seeds."""
    rates = {"gradient_descent": to_rows.rate(np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.0, 0.4]))}
    result = to_rows.summarise(seen(), rates, Oracle(np.array([1.0] * 3), np.array([2.0] * 3)))
    expected = {"mean": 3.0, "stderr": np.sqrt(7 / 3), "spread": np.sqrt(7)}
    assert result["learners"]["transformer"]["loss"] == pytest.approx(expected)
    assert result["learners"]["gradient_descent"]["eta"] == 2
    assert result["learners"]["gradient_descent"]["eta_stderr"] == pytest.approx(0.5 / 3)
    assert list(result["learners"]) == ["transformer", "gradient_descent", "oracle"], "as in learners.csv"
    assert result["oracle"]["loss"] == 2
    assert result["oracle"]["excess_of_transformer"]["mean"] == pytest.approx(0.6)


def test_without_an_oracle_or_an_error_of_eta():
    without = seen()
    del without["loss"]["oracle"], without["alignment"]["oracle"]
    rates = {"gradient_descent": to_rows.rate(np.ones(3), np.full(3, np.nan))}
    result = to_rows.summarise(without, rates, None)
    assert result["oracle"] is None
    assert "eta_stderr" not in result["learners"]["gradient_descent"]


def test_rows_of_the_curves():
    recent = {"transformer": np.array([[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]])}
    rows = to_rows.curve_rows(10, [5, 6, 7], recent, seen())
    assert [(row["step"], row["seed"], row["train_loss.transformer"]) for row in rows] == [
        (10, 5, 2),
        (10, 6, 2),
        (10, 7, 0),
    ]
    assert [row["loss.transformer"] for row in rows] == [1, 2, 6]
    assert [row["gradient_descent.prediction_l2"] for row in rows] == [1, 2, 6]


def test_numbers_of_a_comparison():
    result = to_rows.summarise(seen(), {"gradient_descent": {"eta": 2.0}}, None)
    numbers = to_rows.numbers(result["learners"], seen()["alignment"])
    assert list(numbers)[:5] == [
        "loss.transformer", "loss.transformer.stderr", "loss.transformer.spread", "loss.gradient_descent",
        "loss.gradient_descent.stderr",
    ]  # fmt: skip
    assert numbers["eta"] == 2
    assert numbers["gradient_descent.prediction_l2"] == 3
    assert numbers["gradient_descent.loss_difference.spread"] == pytest.approx(np.sqrt(0.03))
    assert "gradient_descent.zero_gradients" not in numbers


def test_what_seeds_have_in_common_does_not_average_out():
    """Three equal seeds on the same test rows are as uncertain as one; one seed has the error of its episodes."""
    equal = of([2.0, 2.0, 2.0], [0.5, 0.5, 0.5], common=0.4)
    assert to_rows.statistics(equal) == pytest.approx({"mean": 2.0, "stderr": 0.4, "spread": 0.0})
    both = of([1.0, 2.0, 6.0], [0.5, 0.5, 0.5], common=0.4)
    assert to_rows.statistics(both)["stderr"] == pytest.approx(np.sqrt(7 / 3 + 0.16))
    one = {name: values[:1] for name, values in both.items()}
    assert to_rows.statistics(one) == {"mean": 1.0, "stderr": 0.5}


def test_a_seed_that_diverged_leaves_no_spread_and_warns_nobody():
    found = to_rows.statistics(of([1.0, 2.0, np.inf], [0.0, 0.0, 0.0]))
    assert found["mean"] == np.inf
    assert np.isnan(found["spread"])


def test_a_row_for_each_seed_and_learner():
    rows = to_rows.seed_rows([5, 6, 7], "test", seen())
    assert [(row["seed"], row["learner"]) for row in rows[:4]] == [
        (5, "transformer"), (6, "transformer"), (7, "transformer"), (5, "gradient_descent"),
    ]  # fmt: skip
    assert [row["loss"] for row in rows[:3]] == [1, 2, 6]
    assert "prediction_l2" not in rows[0], "the Transformer is not compared with itself"
    assert [row["prediction_l2"] for row in rows[3:6]] == [1, 2, 6]
    assert to_rows.shift_name(("alpha", 0.5)) == "alpha=0.5"


def test_episodes_without_a_value_are_counted_in_every_table():
    some = of([1.0, 2.0, 6.0], [0.1, 0.2, 0.3], left_out=2)
    results = {"loss": {"transformer": some}, "alignment": {}}
    assert to_rows.learner_rows(results["loss"])[0]["left_out"] == 2
    assert to_rows.layer_rows({"transformer": [some]})[0]["left_out"] == 2
    assert to_rows.shift_rows([("alpha", 0.5)], [results])[0]["left_out"] == 2
