"""Gradient descent, with momentum and with preconditioners, by its formula; iterative Newton and four rates."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.theory import one_step, preconditioned_step
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.four_rates import FourRates
from lab.learners.gd_plus_plus import GDPlusPlus, GDPlusPlusByStep
from lab.learners.heavy_ball import HeavyBall
from lab.learners.newton import Newton
from lab.learners.preconditioned_descent import PreconditionedDescent
from tasks.catalogue import TASKS
from tasks.skewed import Skewed
from tests.compiled import sampled
from tests.lab import reference
from tests.lab.makers import KEY, NAMES, gd_plus_plus, one_prompt


def settled(name="plain", **numbers):
    task = TASKS[name](**({"input_dim": 3, "num_context": 6, "output_dim": 2, "num_queries": 2} | numbers))
    layout = TokenLayout.of(task)
    return task, layout, one_prompt(task), jax.random.normal(KEY, (2, layout.feature_dim))


STEPS = 4
AT_FIRST = (GradientDescent, HeavyBall, GDPlusPlus, GDPlusPlusByStep, FourRates, PreconditionedDescent)


def with_momentum(layout, w_0, beta):
    """Of a unit that is not the rate."""
    learner = HeavyBall(layout, 0.6, STEPS, w_0)
    learner.relative_eta[...], learner.beta[...] = jnp.asarray(0.5), jnp.asarray(beta)
    return learner, [0.3] * STEPS, beta


def preconditioned(layout, w_0, shared):
    matrices = 0.3 * np.random.default_rng(0).normal(size=(1 if shared else STEPS, *[layout.feature_dim] * 2))
    learner = PreconditionedDescent(layout, 2.0, STEPS, shared, w_0)
    learner.relative[...] = jnp.asarray(matrices / 2)
    return learner, np.broadcast_to(matrices, (STEPS, *matrices.shape[1:])), 0.0


DESCENTS = {  # (layout, W_0) -> the learner, the rate or the matrix of each step, beta
    **{kind.__name__: lambda layout, w_0, kind=kind: (kind(layout, 0.3, STEPS, initial_model=w_0), [0.3] * STEPS, 0.0)
       for kind in AT_FIRST},
    "momentum": functools.partial(with_momentum, beta=0.6),
    "negative momentum": functools.partial(with_momentum, beta=-0.3),
    "one preconditioner": functools.partial(preconditioned, shared=True),
    "one of each step": functools.partial(preconditioned, shared=False),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("descent", DESCENTS)
def test_descent_is_its_formula_after_every_step(descent, name, float64):
    """1e-12: sums of numbers of the size 1. What trainers change starts where it makes gradient descent."""
    _, layout, prompt, w_0 = settled(name)
    learner, rates, beta = DESCENTS[descent](layout, w_0)
    f, f_query = layout.features(prompt.context), layout.features(prompt.query)
    expected = reference.gradient_descent(f, prompt.answers, f_query, rates, w_0, beta)
    np.testing.assert_allclose(jax.jit(learner.readouts)(prompt), expected, rtol=0, atol=1e-12)


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
    episodes = sampled(task, KEY, 20_000)

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
