"""Gradient descent with momentum, by hand and by its formulas."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.heavy_ball import HeavyBall
from tasks.catalogue import TASKS
from tests.lab import reference
from tests.lab.makers import KEY, one_prompt


def heavy_ball(layout, eta, beta, steps, w_0=None):
    """With a unit that is not one."""
    learner = HeavyBall(layout, 2.0 * eta, steps, w_0)
    learner.relative_eta[...], learner.beta[...] = jnp.asarray(0.5), jnp.asarray(beta)
    return learner


def readouts(learner, prompt):
    return jax.jit(lambda prompt: learner.readouts(prompt))(prompt)


@pytest.mark.parametrize("name", ["plain", "rag_dot"])
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("beta", [0.6, -0.3])
def test_it_is_its_formula(beta, steps, name, float64):
    """1e-13: sums of a few numbers of the size 1."""
    task = TASKS[name](input_dim=3, num_context=4, output_dim=2, num_queries=2)
    layout, prompt = TokenLayout.of(task), one_prompt(task)
    w_0 = jax.random.normal(KEY, (2, layout.feature_dim))
    f, f_query = layout.features(prompt.context), layout.features(prompt.query)
    expected = reference.heavy_ball(f, prompt.answers, f_query, 0.3, beta, steps, w_0)
    result = readouts(heavy_ball(layout, 0.3, beta, steps, w_0), prompt)
    assert result.shape == (steps, 2, 2)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-13)


def test_it_is_gradient_descent_without_momentum_and_in_its_first_step(float64):
    task = TASKS["plain"](input_dim=3, num_context=4)
    layout, prompt = TokenLayout.of(task), one_prompt(task)
    descent = readouts(GradientDescent(layout, 0.3, 4), prompt)
    np.testing.assert_allclose(readouts(heavy_ball(layout, 0.3, 0.0, 4), prompt), descent, rtol=0, atol=1e-14)
    with_momentum = readouts(heavy_ball(layout, 0.3, 0.9, 4), prompt)
    np.testing.assert_allclose(with_momentum[0], descent[0], rtol=0, atol=1e-14)
    assert np.min(np.abs(with_momentum[1:] - descent[1:])) > 1e-3
    np.testing.assert_allclose(readouts(HeavyBall(layout, 0.3, 4), prompt), descent, rtol=0, atol=1e-14)


def test_two_steps_are_gradient_descent_with_two_rates(float64):
    """With the rates a and b that solve z^2 - (2 + beta) eta z + eta^2 = 0."""
    task = TASKS["plain"](input_dim=3, num_context=4)
    layout, prompt, eta, beta = TokenLayout.of(task), one_prompt(task), 0.4, 0.5
    first, second = np.roots([1.0, -(2 + beta) * eta, eta**2])
    x, y, query = prompt.context.x, prompt.answers, prompt.query.x
    w = first * y.T @ x / 4
    w = w - second * (w @ x.T - y.T) @ x / 4
    result = readouts(heavy_ball(layout, eta, beta, 2), prompt)[-1]
    np.testing.assert_allclose(result, query @ w.T, rtol=0, atol=1e-14)
