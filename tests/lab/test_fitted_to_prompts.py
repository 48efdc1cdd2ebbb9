"""Learners that are fitted to the examples that a query sees, against scikit-learn and by what they minimise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import Averaging, LeastSquares, Nearest
from lab.learners.lasso import Lasso, lasso
from lab.learners.prompt_network import EVERY, PromptNetwork, ValidatedNetwork
from lab.learners.ridge import Ridge
from tasks.catalogue import FUNCTIONS, TASKS
from tests.compiled import one_episode
from tests.lab.makers import NAMES, answer, one_prompt, prompts_of

N, D = 9, 4
TASK = FUNCTIONS["sparse_linear"](num_context=N, input_dim=D, nonzero=2, noise=0.3)
LAYOUT = TokenLayout.of(TASK)


def prompt():
    return one_episode(TASK, jax.random.key(1)).prompt


def shortened(one, count, query):
    """The prompt that has those examples and this query alone."""
    context, answers = jax.tree.map(lambda leaf: leaf[:count], (one.context, one.answers))
    return one.replace(
        context=context, answers=answers, query=one.query.replace(x=one.query.x[query][None]), visible=None
    )


@pytest.mark.parametrize("penalty", [0.01, 0.3])
def test_lasso_is_scikit_learn_s(penalty, float64):
    from sklearn.linear_model import Lasso as Reference

    one = prompt()
    result = jax.jit(Lasso(LAYOUT, penalty).__call__)(one)
    for t in range(1, N):
        x, y = np.asarray(one.context.x)[:t], np.asarray(one.answers)[:t, 0]
        reference = Reference(penalty, fit_intercept=False, tol=1e-14, max_iter=200_000).fit(x, y)
        np.testing.assert_allclose(result[t, 0], reference.predict(np.asarray(one.query.x)[t : t + 1])[0], atol=1e-6)


@pytest.mark.parametrize("penalty", [1.0, 0.1, 0.01, 0.001, 0.0001])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_lasso_is_at_its_minimum(penalty, noise, float64):
    """Also with fewer examples than coordinates and a small penalty, where descent has not converged after thousands of
    sweeps: the subgradient is zero, which is what a minimum is."""
    random = np.random.default_rng(0)
    for trial in range(60):
        count, width = 1 + trial % 20, 8
        x, w = random.normal(size=(count, width)), random.normal(size=width) * (random.random(width) < 0.3)
        y = x @ w + noise * random.normal(size=count)
        found = np.asarray(jax.jit(lasso)(x.T @ x / count, x.T @ y / count, penalty))
        slope = x.T @ (y - x @ found) / count
        assert (np.abs(slope) <= penalty + 1e-9).all()
        np.testing.assert_allclose(slope[found != 0], penalty * np.sign(found[found != 0]), rtol=0, atol=1e-9)


def test_nearest_neighbours_are_scikit_learn_s(float64):
    from sklearn.neighbors import KNeighborsRegressor

    one = prompt()
    result = jax.jit(Nearest(LAYOUT, 3).__call__)(one)
    for t in range(1, N):
        x, y = np.asarray(one.context.x)[:t], np.asarray(one.answers)[:t, 0]
        reference = KNeighborsRegressor(min(3, t)).fit(x, y).predict(np.asarray(one.query.x)[t : t + 1])
        np.testing.assert_allclose(result[t], reference, atol=1e-12)


def test_averaging_is_one_step_of_gradient_descent(float64):
    one = prompt()
    result = jax.jit(Averaging(LAYOUT).__call__)(one)

    @jax.jit
    @jax.grad
    def gradient(w, t):
        error_N = one.context.x[:N] @ w - one.answers[:N, 0]
        return jnp.mean(error_N**2, where=jnp.arange(N) < t) / 2

    for t in range(1, N):
        step = -gradient(jnp.zeros(D), t)
        np.testing.assert_allclose(result[t, 0], one.query.x[t] @ step, atol=1e-12)


def test_a_network_on_the_prompt_takes_the_steps_of_adam(float64):
    """Adam written out, with gradients by finite differences of the loss, in NumPy."""
    learner = PromptNetwork(LAYOUT, jax.random.key(3), 6, 20, 0.02)
    one = shortened(prompt(), 5, 5)
    u, w = (np.asarray(each[...], np.float64) for each in (learner.u_HxF, learner.w_YxH))
    sizes = [u.size, len(u), w.size, 1]
    flat = np.concatenate([u.ravel(), np.zeros(len(u)), w.ravel(), np.zeros(1)])
    x, y = np.asarray(one.context.x), np.asarray(one.answers)[:, 0]

    def forward(flat, x):
        u, b, w, c = np.split(flat, np.cumsum(sizes)[:-1])
        return np.maximum(x @ u.reshape(-1, D).T + b, 0) @ w + c

    def gradient(flat):
        up, down = (
            np.array([np.mean((forward(flat + h, x) - y) ** 2) for h in sign * 1e-6 * np.eye(len(flat))])
            for sign in (1, -1)
        )
        return (up - down) / 2e-6

    first, second = np.zeros_like(flat), np.zeros_like(flat)
    for step in range(1, learner.steps + 1):
        slope = gradient(flat)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        rate = float(np.asarray(learner.rate[...], np.float32))
        flat = flat - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    np.testing.assert_allclose(jax.jit(learner.__call__)(one)[0], forward(flat, np.asarray(one.query.x)), atol=1e-5)


@pytest.mark.slow
def test_the_network_is_the_best_of_all_rates_and_steps_on_held_out_examples(float64):
    """By trying every rate and number of steps with networks of one rate, which see the other examples alone."""
    rates, steps, seen = [0.02, 0.3, 0.002], 3, 8
    one = prompt()
    learner = ValidatedNetwork(LAYOUT, jax.random.key(3), 6, steps, rates)
    result = jax.jit(learner.__call__)(shortened(one, seen, seen))[0]
    held_out = np.arange(seen) % EVERY == EVERY - 1
    x, y = (np.asarray(each)[:seen] for each in (one.context.x, one.answers))
    taught = one.replace(
        context=one.context.replace(x=jnp.asarray(x[~held_out])),
        answers=jnp.asarray(y[~held_out]),
        query=one.query.replace(x=jnp.asarray(x[held_out])),
        visible=None,
    )
    answers_of = {
        (rate, count): jax.jit(PromptNetwork(LAYOUT, jax.random.key(3), 6, count, rate).__call__)
        for rate in rates
        for count in range(1, steps + 1)
    }
    errors = {
        choice: float(np.mean((np.asarray(call(taught)) - y[held_out]) ** 2)) for choice, call in answers_of.items()
    }
    best = min(errors, key=lambda choice: errors[choice])
    np.testing.assert_allclose(result, answers_of[best](shortened(one, seen, seen))[0], atol=1e-9)
    few = jax.jit(learner.__call__)(shortened(one, EVERY - 1, EVERY - 1))[0]
    np.testing.assert_allclose(few, answers_of[rates[0], steps](shortened(one, EVERY - 1, EVERY - 1))[0], atol=1e-9)


@pytest.mark.parametrize("examples", [3, 20])
def test_ridge_minimises_its_objective(examples, float64):
    """The gradient of sum ||W f - y||^2 + penalty ||W||^2 is zero at W, found by predicting on unit vectors."""
    task = TASKS["plain"](num_context=examples, input_dim=5, num_queries=5, output_dim=2)
    prompt = one_prompt(task)
    units = prompt.replace(query=prompt.query.replace(x=jnp.eye(5)))
    w = Ridge(TokenLayout.of(task), 0.3)(units).T

    def objective(w):
        return jnp.sum((prompt.context.x @ w.T - prompt.answers) ** 2) + 0.3 * jnp.sum(w**2)

    assert np.abs(jax.grad(objective)(w)).max() < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_least_squares_is_the_limit_of_ridge(name, float64):
    """The two differ by about penalty / s^2 with s the smallest singular value: 1e-10 / 1e-6 at the worst here."""
    task = TASKS[name]()
    prompts = prompts_of(task, 5)
    layout = TokenLayout.of(task)
    ridge = answer(Ridge(layout, 1e-10), prompts)
    np.testing.assert_allclose(ridge, answer(LeastSquares(layout), prompts), atol=1e-4)
