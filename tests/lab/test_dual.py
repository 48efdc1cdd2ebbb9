"""The dual model in kernel form against sums written out in NumPy, and against a loss in explicit features."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab import dual

TOKENS, WIDTH, OUT = 7, 3, 2
INSTRUCTIONS, DEMONSTRATIONS = np.eye(2)[[0, 0, 1, 1, 1, 1, 1]].T


@pytest.fixture
def head(float64):
    """Keys, values, queries."""
    generator = np.random.default_rng(0)
    return [generator.standard_normal(size) for size in ((TOKENS, WIDTH), (TOKENS, OUT), (4, WIDTH))]


def attention(keys, values, query, weights):
    kernels = weights * np.exp(keys @ query - (keys @ query).max())
    return kernels @ values / kernels.sum()


def test_one_step_is_attention(head):
    keys, values, queries = head
    biased = np.exp([0.3, -1.0, *np.zeros(5)])  # weights exp(b) of instruction tokens with biases b
    for factor, start in ((1.0, INSTRUCTIONS), (1.0, INSTRUCTIONS * biased), (30.0, INSTRUCTIONS)):
        answers = dual.attend(factor * queries, factor * keys, values, start, DEMONSTRATIONS, rate=0.3)
        expected = [attention(factor * keys, values, factor * q, start + DEMONSTRATIONS) for q in queries]
        np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-13)


def test_tokens_without_a_coefficient_do_not_let_the_others_underflow(head):
    keys, values, queries = head
    far = np.concatenate([keys, 1e4 * queries[:1]])  # a score of 1e4 times the square of a norm
    weights = np.append(DEMONSTRATIONS, 0.0)
    answers = dual.attend(queries[:1], far, np.concatenate([values, values[:1]]), 0 * weights, weights)
    expected = attention(keys, values, queries[0], DEMONSTRATIONS)
    np.testing.assert_allclose(answers[0], expected, rtol=0, atol=1e-13)


def test_the_path_token_by_token(head):
    """f after n demonstrations, each its own step with an L2 term, from sums over pairs."""
    keys, values, queries = head
    c, rate, alpha = 0.2, 0.5, 0.1
    steps = np.diag(DEMONSTRATIONS)[2:]
    path = dual.descend(dual.initial_model(values, INSTRUCTIONS, c), values, steps, c, rate, alpha)
    for n, model in enumerate(path, start=1):
        for q, answer in zip(queries, dual.predict(keys, model, queries), strict=True):
            weight = [
                (1 - alpha) ** n,
                (1 - alpha) ** n,
                *[(1 - alpha) ** (n - 1 - i) if i < n else 0.0 for i in range(5)],
            ]
            expected = sum(c * w * np.exp(k @ q) * v for w, k, v in zip(weight, keys, values, strict=True))
            np.testing.assert_allclose(answer, expected, rtol=1e-13)


def test_the_gradient_is_that_of_the_loss_in_features(head):
    """The rows of the kernel's Cholesky factor are features; there the loss is differentiated automatically."""
    keys, values, _ = head
    c, rate, alpha = 0.2, 0.5, 0.1
    kernels = np.exp(keys @ keys.T)
    features = np.linalg.cholesky(kernels)
    coefficients = np.random.default_rng(1).standard_normal((TOKENS, OUT))

    def loss(model):
        terms = [c / rate * values[i] @ (model @ features[i]) for i in range(TOKENS) if DEMONSTRATIONS[i]]
        return -sum(terms) + alpha / (2 * rate) * jnp.sum(model**2)

    model = coefficients.T @ features
    change = dual.gradient(coefficients, values, DEMONSTRATIONS, c, rate, alpha)
    np.testing.assert_allclose(change.T @ features, jax.grad(loss)(model), rtol=0, atol=1e-12)
    without = dual.loss(kernels @ coefficients, values, DEMONSTRATIONS, c, rate)
    assert float(without) == pytest.approx(float(loss(model)) - alpha / (2 * rate) * np.sum(model**2), rel=1e-12)


def test_the_secant_at_zero_is_the_slope(float64):
    z = jnp.array([-2.0, -1e-300, 0.0, 1e-300, 3.0])
    np.testing.assert_allclose(dual.secant(jax.nn.relu, z), [0, 0, 0, 1, 1])
    gelu = dual.secant(jax.nn.gelu, z)
    np.testing.assert_allclose(gelu[1:4], 0.5)
    np.testing.assert_allclose(gelu * z, jax.nn.gelu(z), rtol=1e-15)
