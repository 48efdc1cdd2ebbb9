"""Means over seeds, as figures draw them."""

import math

import pytest
import scipy.stats

from analysis.figures.measures import mean_over_seeds
from analysis.tables.select import NotMeasured, Row


def rows(*gains):
    return [Row({"seed": float(seed), "gain": gain, "gain.stderr": 0.3}) for seed, gain in enumerate(gains)]


@pytest.mark.parametrize("error", [None, "gain.stderr"])
def test_several_seeds_have_their_spread_whatever_the_error_of_each(error):
    mean, errors = mean_over_seeds(rows(0.1, 0.2, 0.6), "gain", error)
    assert mean == pytest.approx(0.3)
    assert errors == pytest.approx(2 * scipy.stats.sem([0.1, 0.2, 0.6]))
    assert mean_over_seeds(rows(0.1, "", 0.2, 0.6), "gain", error) == (pytest.approx(mean), pytest.approx(errors))


@pytest.mark.parametrize("gains", [(0.1,), ("", 0.1)])
def test_a_single_seed_has_the_error_over_its_episodes(gains):
    assert mean_over_seeds(rows(*gains), "gain", "gain.stderr") == pytest.approx((0.1, 0.6))
    assert mean_over_seeds(rows(*gains), "gain") == pytest.approx((0.1, 0.0))


def test_a_single_seed_without_an_error_has_none():
    alone = [Row(rows(0.1)[0] | {"gain.stderr": ""})]
    assert mean_over_seeds(alone, "gain", "gain.stderr") == pytest.approx((0.1, 0.0))


def test_no_value_is_no_number():
    mean, error = mean_over_seeds(rows("", ""), "gain", "gain.stderr")
    assert math.isnan(mean)
    assert error == 0
    with pytest.raises(NotMeasured):
        mean_over_seeds(rows(0.1), "loss")
