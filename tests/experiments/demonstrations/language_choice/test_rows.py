"""The choice of a set of demonstrations for a language model: errors over draws and rows, against counts by hand. Which
set is chosen is in the tests of `demonstration_choice`, whose rows are made by the same function."""

import math

import numpy as np
import pytest

from experiments.demonstrations.demonstration_choice.results import BOUND, QUERIES, SCORE, SEED
from experiments.demonstrations.language_choice.run import tables_of

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


def test_rows_of_each_draw_have_the_error_that_all_share():
    """Of paired differences over rows."""
    made = tables_of(SEEDS, DRAWS, [4, 12])
    rows = [row for row in made["choice"] if (row[SCORE], row[QUERIES]) == ("effect", 12)]
    assert [row[SEED] for row in rows] == SEEDS
    gains = []
    for row, one in zip(rows, DRAWS, strict=True):
        means = one["effect.validation"].mean(axis=1)
        best = int(np.argmax(means))
        gains.append(one["accuracy.test"][best] - one["accuracy.test"].mean(axis=0))
        assert row["gain"] == pytest.approx(gains[-1].mean(), abs=1e-12)
        assert row["validation"] == pytest.approx(means[best], abs=1e-9)
        assert row["optimism"] == pytest.approx(means[best] - one["effect.test"][best].mean(), abs=1e-9)
    by_hand = np.mean(gains, axis=0).std(ddof=1) / math.sqrt(TEST)
    assert rows[0]["gain.common"] == pytest.approx(by_hand, abs=1e-12)
    bounds = {(row[SEED], row[BOUND]): row["accuracy"] for row in made["bounds"]}
    for seed, one in zip(SEEDS, DRAWS, strict=True):
        accuracy = one["accuracy.test"].mean(axis=1)
        expected = {"random": accuracy.mean(), "best": accuracy.max(), "zero_shot": one["zero_shot"].mean()}
        assert {name: bounds[seed, name] for name in expected} == pytest.approx(expected, abs=1e-12)


def test_sets_that_are_all_equally_good_have_no_correlation():
    equal = [one | {"accuracy.test": np.ones((SETS, TEST), bool)} for one in DRAWS]
    row = tables_of(SEEDS, equal, [12])["choice"][0]
    assert (row["spearman"], row["spearman.left_out"]) == (None, 1)
