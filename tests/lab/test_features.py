"""Random features: Monte Carlo against the formulas of their variances, orthogonal frequencies, scales. And features
without randomness."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.features import FEATURE_MAPS, SAMPLERS, draw, frequencies
from lab.features.exact import exponents, gram_features, remainder, taylor_features
from lab.features.frequencies import haar, iid, orthogonal

# 2^20 estimates of two frequencies each. The relative error of a measured variance is sqrt((kurtosis - 1) / draws). For
# positive features the logarithm of an estimate's terms has the variance s2 = |x + y|^2, so their kurtosis is
# e^{4 s2} + 2 e^{3 s2} + 3 e^{2 s2} - 3: 114 at s2 = 1, of which the error is 0.7%, and 3 percent are four of these. At
# s2 = 2 it is 3948 and would take a hundred times as many draws, so such pairs are left to the trigonometric features,
# whose terms are bounded.
DRAWS, FREQUENCIES, WIDTH = 2**20, 2, 3
LIGHT = 1.01  # largest |x + y|^2
PAIRS = [(norm, norm, cosine) for norm in (0.5, 1.0) for cosine in (-0.5, 0.0, 0.5)] + [(0.3, 0.8, -0.7)]


def pair(x_norm, y_norm, cosine):
    x, y = np.zeros((2, WIDTH))
    x[0], y[:2] = x_norm, (y_norm * cosine, y_norm * np.sqrt(1 - cosine**2))
    return x, y


@pytest.fixture
def random_pairs():
    return jnp.asarray(np.random.default_rng(0).normal(size=(200, 2, WIDTH)))


@pytest.mark.slow
@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_estimates_have_the_kernel_as_mean_and_the_formula_as_variance(name, float64, optimized):
    kind = FEATURE_MAPS[name]
    drawn = kind(iid(jax.random.key(1), (DRAWS, FREQUENCIES, WIDTH)))

    @jax.jit
    def moments(drawn, x, y):
        estimates = jax.vmap(lambda features: features(x) @ features(y))(drawn)
        return jnp.mean(estimates), jnp.var(estimates)

    measured = 0
    for place in PAIRS:
        x, y = pair(*place)
        if name != "trigonometric" and np.sum((x + y) ** 2) > LIGHT:
            continue
        measured += 1
        mean, variance = map(float, moments(drawn, x, y))
        formula = float(FEATURE_MAPS[name].variance(x, y, FREQUENCIES * kind.PER_FREQUENCY))
        assert variance == pytest.approx(formula, rel=0.03), place
        assert mean == pytest.approx(np.exp(x @ y), abs=5 * np.sqrt(formula / DRAWS)), place
    assert measured >= 5


def test_how_the_variances_compare(float64, random_pairs):
    x, y = random_pairs[:, 0], random_pairs[:, 1]
    variance = {name: jax.vmap(FEATURE_MAPS[name].variance, in_axes=(0, 0, None))(x, y, 64) for name in FEATURE_MAPS}
    positive_product = jnp.sum(x * y, axis=1) > 0
    assert 0.3 < positive_product.mean() < 0.7
    np.testing.assert_array_equal(variance["trigonometric"] < variance["hyperbolic"], positive_product)
    assert jnp.all(variance["hyperbolic"] < variance["positive"])
    right_angle = pair(0.7, 1.3, 0.0)
    tied = [float(FEATURE_MAPS[name].variance(*right_angle, 64)) for name in ("trigonometric", "hyperbolic")]
    assert tied[0] == pytest.approx(tied[1], rel=1e-12)


def test_orthogonal_frequencies_are_orthogonal_in_blocks_and_normal_one_by_one(float64):
    heads, count = 4000, 2 * WIDTH + 1
    drawn = orthogonal(jax.random.key(2), (heads, count, WIDTH))
    assert drawn.shape == (heads, count, WIDTH)
    products = np.asarray(drawn @ drawn.mT)
    block = np.arange(count) // WIDTH
    inside = (block[:, None] == block) & ~np.eye(count, dtype=bool)
    np.testing.assert_allclose(products[:, inside], 0.0, atol=1e-13)
    # Rows of different blocks are independent: their product has the variance WIDTH, so 1e-3 are rarely small.
    assert np.mean(np.abs(products[:, block[:, None] != block]) < 1e-3) < 0.01
    # N(0, I): squared lengths have the mean WIDTH and the variance 2 WIDTH; five standard errors of each moment.
    squares = np.asarray(jnp.sum(drawn**2, axis=-1))[:, ::WIDTH]
    assert squares.mean() == pytest.approx(WIDTH, abs=5 * np.sqrt(2 * WIDTH / squares.size))
    assert squares.var() == pytest.approx(2 * WIDTH, rel=5 * np.sqrt(2 + 12 / WIDTH) / np.sqrt(squares.size))
    rows = np.asarray(drawn[:, ::WIDTH]).reshape(-1, WIDTH)
    np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=5 / np.sqrt(len(rows)))
    np.testing.assert_allclose(rows.T @ rows / len(rows), np.eye(WIDTH), atol=5 * np.sqrt(2 / len(rows)))


def test_orthogonal_matrices_are_haar_distributed(float64):
    """Each entry has the mean 0 and the variance 1/A; of LAPACK's Q the first is never positive. A fixed rotation
    changes nothing about the distribution: the trace keeps its variance, which is 1."""
    count = 20_000
    matrices = np.asarray(haar(jax.random.normal(jax.random.key(3), (count, WIDTH, WIDTH))))
    np.testing.assert_allclose(matrices @ matrices.mT, np.broadcast_to(np.eye(WIDTH), matrices.shape), atol=1e-13)
    np.testing.assert_allclose(matrices.mean(axis=0), 0.0, atol=5 / np.sqrt(WIDTH * count))
    assert np.linalg.det(matrices).mean() == pytest.approx(0.0, abs=5 / np.sqrt(count))
    for rotation in (np.eye(WIDTH), np.roll(np.eye(WIDTH), 1, axis=0)):
        traces = np.trace(matrices @ rotation, axis1=1, axis2=2)
        assert traces.mean() == pytest.approx(0.0, abs=5 / np.sqrt(count))
        assert traces.var() == pytest.approx(1.0, rel=0.05)  # kurtosis of at most 3: a standard error of 1%


def bias_of_positive_features(count=40_000):
    """How many standard errors the mean of estimates with orthogonal frequencies is from the kernel; both norms 1. For
    the same pair the variance of the mean over a block cannot be larger than that of independent frequencies."""
    x, y = pair(1.0, 1.0, -0.5)
    features = draw("positive", "orthogonal", jax.random.key(4), WIDTH, WIDTH, count)
    sample = np.asarray(jax.vmap(lambda f: f(x) @ f(y))(features))
    assert sample.var() < FEATURE_MAPS["positive"].variance(x, y, WIDTH)
    return (sample.mean() - np.exp(x @ y)) / (sample.std() / np.sqrt(count))


def test_orthogonal_positive_features_are_unbiased_because_of_the_signs(float64, monkeypatch):
    """Trigonometric and hyperbolic features are even in u and would hide wrong signs."""
    assert abs(bias_of_positive_features()) < 5
    monkeypatch.setattr(frequencies, "haar", lambda gaussian: jnp.linalg.qr(gaussian)[0])
    assert abs(bias_of_positive_features()) > 20


@pytest.mark.parametrize("name", FEATURE_MAPS)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_shapes_scales_and_axes_in_front(name, sampler, float64):
    kind, num_features, heads = FEATURE_MAPS[name], 8, 3
    drawn = draw(name, sampler, jax.random.key(5), num_features, WIDTH, heads)
    assert drawn.frequencies_MxA.shape == (heads, num_features // kind.PER_FREQUENCY, WIDTH)
    first = jax.tree.map(lambda leaf: leaf[0], drawn)
    x = jax.random.normal(jax.random.key(6), (4, 2, WIDTH))
    features, largest = first(x), first.largest_exponent(x)
    assert features.shape == (4, 2, num_features)
    np.testing.assert_allclose(jax.vmap(lambda f: f(x))(drawn)[0], features, rtol=1e-12)
    np.testing.assert_allclose(first(x, 0.5), np.exp(-0.5) * features, rtol=1e-12)
    sizes = jnp.max(jnp.abs(features), axis=-1) * jnp.sqrt(num_features / (1 + (name == "trigonometric")))
    assert jnp.all(sizes <= jnp.exp(largest) * (1 + 1e-12))
    if name != "trigonometric":
        np.testing.assert_allclose(sizes, jnp.exp(largest), rtol=1e-12)


def test_features_that_share_a_frequency_come_in_pairs():
    with pytest.raises(ValueError, match="7 features: hyperbolic features come in multiples of 2"):
        draw("hyperbolic", "iid", jax.random.key(0), 7, WIDTH)


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
