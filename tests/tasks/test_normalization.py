"""Normalisations: what they promise, and that they have seen the training rows alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tasks.datasets.normalization import Normalizer
from tasks.datasets.settings import Normalization

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.exponential(size=500), 1e4 + RNG.normal(size=500), RNG.integers(0, 4, 500)])


FORMULAS = {
    "zscore": lambda x: (x - X.mean(0)) / X.std(0),
    "minmax": lambda x: (x - X.min(0)) / np.ptp(X, axis=0),
    "tanh": lambda x: np.tanh((x - X.mean(0)) / X.std(0)),
    "none": lambda x: x,
}


@pytest.mark.parametrize("how", FORMULAS)
def test_formulas(how):
    """Also of rows that it was not fitted to, which may lie outside of [0, 1]."""
    for x in (X, X + 5):
        np.testing.assert_allclose(Normalizer(Normalization(how), X)(x), FORMULAS[how](x), atol=1e-8)


def test_rank():
    """Uniform whatever the law was: the i-th of n distinct values goes to i / (n - 1), and order is kept."""
    result = Normalizer(Normalization.rank, X)(X)
    expected = np.argsort(np.argsort(X[:, :2], axis=0), axis=0) / (len(X) - 1)
    np.testing.assert_allclose(result[:, :2], expected, atol=1e-6)  # quantiles are interpolated
    assert (result.min(), result.max()) == (0, 1)


@pytest.mark.parametrize("how", list(Normalization))
def test_a_constant_column_becomes_zeros(how):
    """In rows that it was not fitted to as well, whatever they hold."""
    x = np.column_stack([X[:, 0], np.full(500, 7.0)])
    normalizer = Normalizer(how, x)
    assert (normalizer(x)[:, 1] == 0).all()
    assert (normalizer(x + 5)[:, 1] == 0).all()
    assert normalizer.constant.tolist() == [False, True]


@pytest.mark.parametrize("how", list(Normalization))
@given(x=arrays.arrays(np.float64, (12, 3), elements=st.floats(-1e6, 1e6, width=32)))
def test_any_table_gives_finite_numbers(how, x):
    assert np.isfinite(Normalizer(how, x)(x)).all()


@pytest.mark.parametrize("how", [how for how in Normalization if how is not Normalization.none])
def test_it_is_what_its_statistics_say(how):
    """The same statistics are the same function, others are another."""
    one, again, other = (Normalizer(how, x) for x in (X, X[::-1], X[:100]))
    for name, value in one.statistics.items():
        np.testing.assert_allclose(again.statistics[name], value, rtol=1e-12)
    np.testing.assert_allclose(again(X), one(X), atol=1e-9)
    assert not np.allclose(other(X), one(X))
    assert any(not np.array_equal(other.statistics[name], value) for name, value in one.statistics.items())


def test_slopes_are_derivatives_by_the_z_score():
    """Affine ones exactly, raw values too; tanh's to the cube of the width; ranks of an even column are its z-scores,
    scaled."""
    z = (X - X.mean(0)) / X.std(0)
    np.testing.assert_allclose(Normalizer(Normalization.zscore, X).slopes(X), 1, rtol=1e-6)
    minmax = np.broadcast_to(X.std(0) / np.ptp(X, axis=0), X.shape)
    np.testing.assert_allclose(Normalizer(Normalization.minmax, X).slopes(X), minmax, rtol=1e-6)
    np.testing.assert_allclose(Normalizer(Normalization.tanh, X).slopes(X), 1 - np.tanh(z) ** 2, atol=1e-3)
    none = np.broadcast_to(X.std(0), X.shape)
    np.testing.assert_allclose(Normalizer(Normalization.none, X).slopes(X), none, rtol=1e-6)
    even = np.linspace(-3, 5, 1001)[:, None]
    inside = Normalizer(Normalization.rank, even).slopes(even)[50:-50]
    np.testing.assert_allclose(inside, even.std() / np.ptp(even), rtol=1e-3)
    constant = Normalizer(Normalization.minmax, np.ones((5, 1)))
    assert (constant.slopes(np.ones((5, 1))) == 0).all()
