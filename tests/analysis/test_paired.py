"""Errors of differences over seeds and users."""

import math

import pytest

from analysis.figures.measures import negative, on_the_same_users, paired_over_users
from analysis.tables.select import Row


def rows(values, errors):
    return [
        Row({"seed": seed, "gain": value, "gain.stderr": error})
        for seed, (value, error) in enumerate(zip(values, errors, strict=True))
    ]


def test_the_error_is_the_larger_of_those_over_seeds_and_over_users():
    over_users = math.sqrt(3 * 0.03**2) / 3
    alike = paired_over_users(rows([0.1, 0.1, 0.1], [0.03] * 3), "gain")
    assert alike.stderr == pytest.approx(over_users)
    assert alike.half_width() == pytest.approx(1.96 * over_users, rel=1e-3)
    apart = paired_over_users(rows([0.0, 0.1, 0.2], [0.001] * 3), "gain")
    assert apart.stderr == pytest.approx(0.1 / math.sqrt(3))
    assert math.isnan(paired_over_users(rows([0.1], [0.03]), "gain").stderr)


def test_minus_a_number_keeps_its_error():
    number = paired_over_users(rows([0.1, 0.11, 0.12], [0.03] * 3), "gain")
    assert negative(number).mean == pytest.approx(-0.11)
    assert negative(number).half_width() == pytest.approx(number.half_width())


def test_more_seeds_do_not_lessen_the_error_over_users_whom_they_share():
    alike = on_the_same_users(rows([0.1] * 3, [0.02, 0.03, 0.04]), "gain")
    assert alike.stderr == pytest.approx(0.03)
    apart = on_the_same_users(rows([0.0, 0.1, 0.2], [0.03] * 3), "gain")
    assert apart.stderr == pytest.approx(math.hypot(0.1 / math.sqrt(3), 0.03))
    assert math.isnan(on_the_same_users(rows([0.1], [0.03]), "gain").stderr)
