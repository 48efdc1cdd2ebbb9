"""Means over seeds as figures draw them, and errors over seeds and users as claims have them."""

import math

import pytest
import scipy.stats

from analysis.figures.means import mean_over_seeds
from analysis.figures.measures import negative, on_the_same_users, paired_over_users
from analysis.tables.select import NotMeasured, Row


def rows(gains, errors=0.3):
    errors = errors if isinstance(errors, list) else [errors] * len(gains)
    pairs = zip(gains, errors, strict=True)
    return [Row({"seed": float(seed), "gain": gain, "gain.stderr": error}) for seed, (gain, error) in enumerate(pairs)]


@pytest.mark.parametrize("error", ["", "gain.other"])
def test_several_seeds_have_their_spread_whatever_the_error_of_each(error):
    mean, errors = mean_over_seeds(rows([0.1, 0.2, 0.6]), "gain", error)
    assert mean == pytest.approx(0.3)
    assert errors == pytest.approx(2 * scipy.stats.sem([0.1, 0.2, 0.6]))
    without = mean_over_seeds(rows([0.1, "", 0.2, math.nan, 0.6]), "gain", error)
    assert without == (pytest.approx(mean), pytest.approx(errors))


@pytest.mark.parametrize(
    ("gains", "over_episodes", "expected"), [([0.1], 0.3, 0.6), (["", 0.1], 0.3, 0.6), ([0.1], "", 0.0)]
)
def test_a_single_seed_has_the_error_over_its_episodes_if_there_is_one(gains, over_episodes, expected):
    one = rows(gains, over_episodes)
    assert mean_over_seeds(one, "gain") == mean_over_seeds(one, "gain", "gain.stderr") == pytest.approx((0.1, expected))
    assert mean_over_seeds(one, "gain", "gain.other") == pytest.approx((0.1, 0.0))


def test_the_error_that_seeds_have_in_common_is_added():
    gains = [0.1, 0.2, 0.6]
    shared = [Row({**row, "gain.common": 0.4}) for row in rows(gains)]
    apart = scipy.stats.sem(gains)
    assert mean_over_seeds(shared, "gain") == pytest.approx((0.3, 2 * math.sqrt(apart**2 + 0.4**2)))
    assert mean_over_seeds(shared[:1], "gain") == pytest.approx((0.1, 0.8))


def test_no_value_is_no_number():
    mean, error = mean_over_seeds(rows(["", ""]), "gain")
    assert math.isnan(mean)
    assert error == 0
    with pytest.raises(NotMeasured):
        mean_over_seeds(rows([0.1]), "loss")


def test_the_error_is_the_larger_of_those_over_seeds_and_over_users():
    over_users = math.sqrt(3 * 0.03**2) / 3
    alike = paired_over_users(rows([0.1, 0.1, 0.1], 0.03), "gain")
    assert alike.stderr == pytest.approx(over_users)
    assert alike.half_width() == pytest.approx(1.96 * over_users, rel=1e-3)
    assert (negative(alike).mean, negative(alike).half_width()) == pytest.approx((-0.1, alike.half_width()))
    apart = paired_over_users(rows([0.0, 0.1, 0.2], 0.001), "gain")
    assert apart.stderr == pytest.approx(0.1 / math.sqrt(3))
    assert math.isnan(paired_over_users(rows([0.1], 0.03), "gain").stderr)


def test_more_seeds_do_not_lessen_the_error_over_users_whom_they_share():
    alike = on_the_same_users(rows([0.1] * 3, [0.02, 0.03, 0.04]), "gain")
    assert alike.stderr == pytest.approx(0.03)
    apart = on_the_same_users(rows([0.0, 0.1, 0.2], 0.03), "gain")
    assert apart.stderr == pytest.approx(math.hypot(0.1 / math.sqrt(3), 0.03))
    assert math.isnan(on_the_same_users(rows([0.1], 0.03), "gain").stderr)
