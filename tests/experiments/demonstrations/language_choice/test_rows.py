"""The choice of a set of demonstrations, against counts by hand."""

import math

import numpy as np
import pytest
from scipy.stats import rankdata

from experiments.demonstrations.demonstration_choice.results import BOUND, QUERIES, SCORE, SEED
from experiments.demonstrations.language_choice import run as rows

RANDOM = np.random.default_rng(2)
SEEDS, SETS, TEST, VALIDATION = [3, 4], 5, 30, 12


def draw():
    measured: dict[str, np.ndarray] = {"zero_shot": RANDOM.random(TEST) < 0.4}
    for side, count in (("validation", VALIDATION), ("test", TEST)):
        measured[f"accuracy.{side}"] = RANDOM.random((SETS, count)) < 0.6
        measured[f"effect.{side}"] = 0.5 + RANDOM.random((SETS, count)) / 2
        measured[f"loss.{side}"] = RANDOM.random((SETS, count))
    return measured


DRAWS = [draw() for _ in SEEDS]


@pytest.mark.parametrize("score", ["effect", "accuracy", "loss"])
@pytest.mark.parametrize("count", [4, 12])
@pytest.mark.parametrize("place", [0, 1])
def test_the_chosen_set_is_the_best_on_the_first_validation_rows(score, count, place):
    made = rows.choice_rows(SEEDS, DRAWS, [4, 12])
    (row,) = [row for row in made if (row[SEED], row[SCORE], row[QUERIES]) == (SEEDS[place], score, count)]
    one, sign = DRAWS[place], -1 if score == "loss" else 1
    means = [np.mean(one[f"{score}.validation"][m][:count]) for m in range(SETS)]
    best = max(range(SETS), key=lambda m: (round(sign * means[m], 9), -m))
    accuracy = one["accuracy.test"].mean(axis=1)
    assert row["accuracy"] == pytest.approx(accuracy[best], abs=1e-12)
    assert row["gain"] == pytest.approx(accuracy[best] - accuracy.mean(), abs=1e-12)
    assert row["validation"] == pytest.approx(means[best], abs=1e-9)
    assert row["test"] == pytest.approx(one[f"{score}.test"][best].mean(), abs=1e-12)
    assert row["optimism"] == pytest.approx(row["validation"] - row["test"], abs=1e-12)
    assert row["spearman"] == pytest.approx(
        np.corrcoef(rankdata(sign * np.round(means, 9)), rankdata(accuracy))[0, 1], abs=1e-12
    )
    effects = [np.mean(one["effect.validation"][m][:count]) for m in range(SETS)]
    assert row["lead"] == pytest.approx(accuracy[int(np.argmax(effects))] - accuracy[best], abs=1e-12)


def test_errors_that_draws_share_are_of_paired_differences_over_rows():
    row = rows.choice_rows(SEEDS, DRAWS, [12])[0]
    gains = []
    for one in DRAWS:
        best = int(np.argmax(one["effect.validation"].mean(axis=1)))
        gains.append(one["accuracy.test"][best] - one["accuracy.test"].mean(axis=0))
    by_hand = np.mean(gains, axis=0).std(ddof=1) / math.sqrt(TEST)
    assert row["gain.common"] == pytest.approx(by_hand, abs=1e-12)


def test_sets_that_are_all_equally_good_have_no_correlation():
    equal = [one | {"accuracy.test": np.ones((SETS, TEST), bool)} for one in DRAWS]
    row = rows.choice_rows(SEEDS, equal, [12])[0]
    assert row["spearman"] is None
    assert row["spearman.left_out"] == 1


def test_bounds_are_a_random_set_the_best_and_none():
    made = {(row[SEED], row[BOUND]): row["accuracy"] for row in rows.bound_rows(SEEDS, DRAWS)}
    for seed, one in zip(SEEDS, DRAWS, strict=True):
        accuracy = one["accuracy.test"].mean(axis=1)
        assert made[seed, "random"] == pytest.approx(accuracy.mean(), abs=1e-12)
        assert made[seed, "best"] == pytest.approx(accuracy.max(), abs=1e-12)
        assert made[seed, "zero_shot"] == pytest.approx(one["zero_shot"].mean(), abs=1e-12)
