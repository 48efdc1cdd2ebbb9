"""Errors over sets and rows, beside a simulation and the formula of a balanced two-way layout."""

import math

import numpy as np
import pytest

from experiments.demonstrations.two_way import of_ratios, over_rows, over_sets, set_columns

RANDOM = np.random.default_rng(0)


def test_the_error_is_that_of_many_repetitions():
    """The mean of 12 sets and 40 rows, with effects of set (.3), row (.5) and both (1): its true variance is .3^2 / 12
    + .5^2 / 40 + 1 / 480, and the estimate counts the last part twice. Over 2,000 repetitions its mean is known to 2 %.
    """
    sets, rows = 12, 40
    estimated, means = [], []
    for _ in range(2000):
        values = (
            0.3 * RANDOM.normal(size=(sets, 1)) + 0.5 * RANDOM.normal(size=(1, rows)) + RANDOM.normal(size=(sets, rows))
        )
        estimated.append(over_sets(values) ** 2 + over_rows(values) ** 2)
        means.append(values.mean())
    true = 0.3**2 / sets + 0.5**2 / rows + 1 / (sets * rows)
    assert np.var(means) == pytest.approx(true, rel=0.1)
    assert np.mean(estimated) == pytest.approx(true + 1 / (sets * rows), rel=0.03)


def test_rows_that_agree_have_no_error_over_rows_and_one_set_none_over_sets():
    assert over_rows(np.ones((3, 5))) == 0
    assert over_sets(np.ones((3, 5))) == 0
    assert math.isnan(over_sets(np.ones((1, 5))))
    assert over_rows(np.ones((3, 1))) == 0


def test_columns_of_a_set_have_its_mean_and_the_error_that_all_share():
    values = RANDOM.normal(size=(3, 7))
    columns = set_columns("gain", values, 2)
    assert columns["gain"] == pytest.approx(values[2].mean(), abs=1e-15)
    assert columns["gain.common"] == over_rows(values)


def test_ratios_of_sets_have_the_error_of_many_repetitions():
    """R = (sum of a) / (sum of b) of one set with 400 rows of b = 0, 1 and a = b in a share of .7: its error over
    2,000 repetitions is known to 2 %, and the delta method is right to the order of 1 / 400."""
    ratios, errors = [], []
    for _ in range(2000):
        below = RANDOM.random((1, 400)) < 0.3
        above = below & (RANDOM.random((1, 400)) < 0.7)
        values = of_ratios(above, below)
        ratios.append(above.sum() / below.sum())
        errors.append(over_rows(values))
        assert values.mean() == pytest.approx(ratios[-1], abs=1e-12)
    assert np.mean(errors) == pytest.approx(np.std(ratios), rel=0.06)


def test_a_share_of_nothing_is_no_number_and_other_sets_keep_theirs():
    below = np.array([[0, 0, 0], [1, 0, 1]])
    values = of_ratios(np.array([[0, 0, 0], [1, 0, 0]]), below)
    assert np.isnan(values[0]).all()
    assert values[1].mean() == pytest.approx(0.5, abs=1e-15)
