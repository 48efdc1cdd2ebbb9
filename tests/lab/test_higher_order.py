"""Descent with momentum, iterative Newton and preconditioned descent, by closed forms and by gradient descent."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.theory import one_step, preconditioned_step
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.four_rates import FourRates
from lab.learners.heavy_ball import HeavyBall
from lab.learners.newton import Newton
from lab.learners.preconditioned_descent import PreconditionedDescent
from tasks.catalogue import TASKS
from tasks.skewed import Skewed
from tests.lab import reference
from tests.lab.makers import KEY, gd_plus_plus, one_prompt


def settled(name="plain", **numbers):
    task = TASKS[name](**({"input_dim": 3, "num_context": 6, "output_dim": 2, "num_queries": 2} | numbers))
    layout = TokenLayout.of(task)
    return task, layout, one_prompt(task), jax.random.normal(KEY, (2, layout.feature_dim))


@pytest.mark.parametrize("name", ["plain", "rag_dot"])
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("beta", [0.6, -0.3, 0.0])
def test_heavy_ball_is_its_formula(beta, steps, name, float64):
    """1e-13: sums of a few numbers of the size 1. Without momentum it is gradient descent, as it starts."""
    _, layout, prompt, w_0 = settled(name, num_context=4)
    learner = HeavyBall(layout, 0.6, steps, w_0)  # a unit that is not the rate
    learner.relative_eta[...], learner.beta[...] = jnp.asarray(0.5), jnp.asarray(beta)
    f, f_query = layout.features(prompt.context), layout.features(prompt.query)
    result = jax.jit(learner.readouts)(prompt)
    assert result.shape == (steps, 2, 2)
    expected = reference.heavy_ball(f, prompt.answers, f_query, 0.3, beta, steps, w_0)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-13)
    start, descent = (jax.jit(kind(layout, 0.3, steps, w_0).readouts) for kind in (HeavyBall, GradientDescent))
    np.testing.assert_allclose(start(prompt), descent(prompt), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["plain", "rag_dot"])
def test_a_step_of_newton_is_twice_the_steps_of_gradient_descent_before_it(name, float64):
    """1e-12: sums of numbers of the size 1, squared four times."""
    _, layout, prompt, w_0 = settled(name)
    newton = Newton(layout, 0.3, 5, w_0).readouts(prompt)
    descent = GradientDescent(layout, 0.3, 16, w_0).readouts(prompt)
    np.testing.assert_allclose(newton, descent[np.array([0, 1, 3, 7, 15])], rtol=0, atol=1e-12)


def test_newton_converges_to_least_squares(float64):
    _, layout, prompt, _ = settled()
    w, *_ = np.linalg.lstsq(prompt.context.x, prompt.answers)
    np.testing.assert_allclose(Newton(layout, 0.5, 20).readouts(prompt)[-1], prompt.query.x @ w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shared", [True, False])
def test_preconditioned_descent_is_gradient_descent_on_transformed_inputs(shared, float64):
    """With P = A A^T: descent on A^T f, whose model V A^T is W."""
    _, layout, prompt, _ = settled()
    learner = PreconditionedDescent(layout, 2.0, 4, shared)
    root = np.array([[1.0, 0.2, 0.0], [0.0, 0.5, -0.3], [0.1, 0.0, 0.8]])
    learner.relative[...] = jnp.broadcast_to(jnp.asarray(root @ root.T / 2), learner.relative.shape)
    f, query, v, expected = prompt.context.x @ root, prompt.query.x @ root, np.zeros((2, 3)), []
    for _ in range(4):
        v = v - (v @ f.T - prompt.answers.T) @ f / len(f)
        expected.append(query @ v.T)
    np.testing.assert_allclose(learner.readouts(prompt), np.stack(expected), rtol=0, atol=1e-13)


def test_each_step_has_its_own_preconditioner(float64):
    _, layout, prompt, w_0 = settled()
    learner = PreconditionedDescent(layout, 1.0, 2, False, w_0)
    first, second = (np.asarray(jax.random.normal(key, (3, 3))) for key in jax.random.split(KEY))
    learner.relative[...] = jnp.stack([first, second])
    w = np.asarray(w_0)
    for matrix in (first, second):
        w = w - (w @ prompt.context.x.T - prompt.answers.T) @ prompt.context.x @ matrix / 6
    np.testing.assert_allclose(learner.readouts(prompt)[-1], prompt.query.x @ w.T, rtol=0, atol=1e-12)


def test_four_rates_are_linear_attention_with_four_numbers_per_layer(float64):
    """Tokens e = (f, s), e_q = (f_q, 0): e <- e - V sum_j e_j e_j^T K e / N over the context, V and K diagonal."""
    _, layout, prompt, _ = settled()
    learner = FourRates(layout, 0.4, 3)
    eta, gamma, zeta, delta = np.asarray(jax.random.uniform(KEY, (4, 3), minval=-1.0))
    learner.relative_eta[...], learner.relative_gamma[...] = jnp.asarray(eta), jnp.asarray(gamma)
    learner.relative_zeta[...], learner.relative_delta[...] = jnp.asarray(zeta), jnp.asarray(delta)
    rates = 0.4 * np.stack([np.exp(eta), np.sinh(gamma), zeta, delta], axis=1)
    tokens = np.block([[prompt.context.x, prompt.answers], [prompt.query.x, np.zeros((2, 2))]])
    answers, of_f = [], np.arange(5) < 3
    for eta, gamma, zeta, delta in rates:
        change = np.zeros_like(tokens)
        for reads, writes, rate in ((1, 0, eta), (1, 1, gamma), (0, 0, zeta), (0, 1, delta)):
            key, value = np.diag(of_f == reads), np.diag(of_f == writes)
            scores = tokens @ key @ tokens[:6].T
            change += rate / 6 * scores @ tokens[:6] @ value
        tokens = tokens - change
        answers.append(-tokens[6:, 3:])
    np.testing.assert_allclose(learner.readouts(prompt), np.stack(answers), rtol=0, atol=1e-13)


def test_without_their_last_two_the_four_rates_are_those_of_gd_plus_plus(float64):
    task, layout, prompt, w_0 = settled()
    plus = gd_plus_plus(task, 3, initial_model=w_0)
    learner = FourRates(layout, 0.5, 3, w_0)
    learner.relative_eta[...], learner.relative_gamma[...] = plus.relative_eta[...], plus.relative_gamma[...]
    np.testing.assert_allclose(learner.readouts(prompt), plus.readouts(prompt), rtol=0, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("condition", [1.0, 30.0])
def test_the_best_preconditioner_of_one_step_minimises_the_mean_loss(condition, float64):
    """By automatic differentiation of the loss on sampled episodes, whose gradient at the optimum is noise alone."""
    task = Skewed(input_dim=3, num_context=5, condition=condition)
    layout, best = TokenLayout.of(task), preconditioned_step(task)
    episodes = task.sample(KEY, 20_000)

    def losses(matrix_FxF):
        def one(episode):
            learner = PreconditionedDescent(layout, 1.0, 1)
            learner.relative[...] = matrix_FxF[None]
            return jnp.sum(task.loss(learner.readouts(episode.prompt)[-1], episode.target))

        return jax.vmap(one)(episodes)

    values = losses(jnp.diag(best.diagonal))
    gradients = jax.jacfwd(losses)(jnp.diag(best.diagonal))
    error = np.std(gradients, axis=0) / np.sqrt(len(gradients))
    assert np.all(np.abs(np.mean(gradients, axis=0)) < 4 * error)
    np.testing.assert_allclose(np.mean(values), best.loss, atol=4 * np.std(values) / np.sqrt(len(values)), rtol=0)
    moved = losses(jnp.diag(1.2 * best.diagonal))
    assert np.mean(moved - values) > 4 * np.std(moved - values) / np.sqrt(len(values))


def test_with_equal_variances_it_is_the_best_step_of_gradient_descent(float64):
    task = Skewed(input_dim=4, num_context=7, condition=1.0)
    best, oracle = preconditioned_step(task), one_step(task)
    np.testing.assert_allclose(best.diagonal, oracle.eta, rtol=1e-13)
    np.testing.assert_allclose(best.loss, oracle.loss, rtol=1e-13)
    skewed = Skewed(input_dim=4, num_context=7, condition=9.0)
    assert preconditioned_step(skewed).loss < 0.99 * one_step(skewed).loss
