"""Features without randomness: those of the Gram matrix and of Taylor's series."""

import math

import jax.numpy as jnp
import numpy as np

from lab.features.gram import gram_features
from lab.features.taylor import exponents, remainder, taylor_features


def points(width, norm, count=6):
    drawn = np.random.default_rng(0).standard_normal((count, width))
    return norm * drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def test_gram_features_are_exact_on_their_points(float64):
    for norm in (1.5, 3.0):
        x = points(4, norm)
        kernels, features = np.exp(x @ x.T), gram_features(x)
        np.testing.assert_allclose(features @ features.T, kernels, rtol=0, atol=1e-14 * kernels.max())
    x = points(4, 40.0)  # whose kernel overflows
    features = gram_features(x, shift=1600.0)
    np.testing.assert_allclose(features @ features.T, np.exp(x @ x.T - 1600), rtol=0, atol=1e-14)


def test_gram_features_of_repeated_points(float64):
    """The Gram matrix is singular; eigenvalues that are noise must not become NaN."""
    x = np.repeat(points(2, 1.0, 2), 3, axis=0)
    features = gram_features(x)
    np.testing.assert_allclose(features @ features.T, np.exp(x @ x.T), rtol=0, atol=1e-14)


def test_taylor_features_give_the_series(float64):
    degree = 6
    for width in (1, 3):
        x = points(width, 1.5)
        scores, features = x @ x.T, taylor_features(x, degree)
        for p in (0, 2, degree):
            count = math.comb(width + p, p)
            series = sum(scores**n / math.factorial(n) for n in range(p + 1))
            assert exponents(width, p).shape == (count, width)
            np.testing.assert_allclose(features[:, :count] @ features[:, :count].T, series, rtol=0, atol=1e-14)


def test_lagranges_remainder_bounds_the_error_and_is_of_its_order(float64):
    scores = jnp.array([-2.25, -0.5, -0.01, 0.01, 0.5, 2.25])
    for degree in (0, 1, 4):
        series = sum(scores**n / math.factorial(n) for n in range(degree + 1))
        error, bound = np.abs(jnp.exp(scores) - series), np.asarray(remainder(scores, degree))
        assert (error <= bound).all()
        # The first term that is left out alone: at small scores all of the error.
        np.testing.assert_allclose(error[2:4], bound[2:4], rtol=0.02)
