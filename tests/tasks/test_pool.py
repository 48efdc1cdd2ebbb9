"""Pools of functions: nested, drawn alike, and the Bayes-optimal answer against brute force."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tasks.catalogue import FUNCTIONS
from tasks.pool import Pool
from tests.compiled import one_episode, sampled

KEY, POOL = jax.random.key(0), jax.random.key(7)


def pool(name="linear", size=5.0, largest=8, **options):
    return Pool(FUNCTIONS[name](**{"num_context": 6, "noise": 0.5} | options), size, POOL, largest)


def test_only_the_functions_of_the_pool_are_drawn_all_of_them_alike():
    task = pool(size=4.0)
    functions = np.asarray(task.functions(jnp.arange(4)))
    drawn = np.asarray(task.draw(KEY, 2000))
    which = np.argmin(np.linalg.norm(drawn[:, None] - functions[None], axis=-1), axis=1)
    np.testing.assert_allclose(drawn, functions[which], rtol=1e-6)
    counts = np.bincount(which, minlength=4)
    assert np.abs(counts - 500).max() < 5 * np.sqrt(2000 * 3 / 16)
    np.testing.assert_array_equal(task.functions(jnp.arange(2)), functions[:2])  # nested


def test_the_pool_of_another_key_is_another():
    one, other = (pool().functions(jnp.arange(3)), pool().replace(key=KEY).functions(jnp.arange(3)))
    assert not np.allclose(one, other)


def test_sizes_share_a_program():
    traced = chex.assert_max_traces(n=1)(lambda task: task.sample(KEY, 3).target)
    sample = jax.jit(traced)
    assert not np.array_equal(sample(pool(size=2.0)), sample(pool(size=8.0)))


def test_inputs_and_noise_are_those_of_the_class():
    task = pool()
    result, fresh = sampled(task, KEY, 3), sampled(task.task, KEY, 3)
    np.testing.assert_array_equal(result.prompt.context.x, fresh.prompt.context.x)
    np.testing.assert_allclose(result.prompt.answers - result.target, fresh.prompt.answers - fresh.target, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "size"), [("linear", 1.0), ("linear", 5.0), ("decision_tree", 5.0), ("relu_network", 5.0)]
)
def test_the_optimum_is_the_mean_over_functions_weighted_by_their_likelihood(name, size, float64):
    """Products of Gaussian densities, one example at a time, without logarithms."""
    task = pool(name, size)
    prompt = one_episode(task, KEY).prompt
    result = jax.jit(task.optimal)(prompt)
    x, y = prompt.context.x, np.asarray(prompt.answers)[:, 0]
    values = np.array(
        [np.asarray(task.values(task.functions(jnp.array([m])), x[None]))[0, :, 0] for m in range(int(size))]
    )
    for t in range(6):
        likelihood = np.ones(int(size))
        for i in range(t):
            likelihood *= np.exp(-((y[i] - values[:, i]) ** 2) / (2 * 0.25)) / np.sqrt(2 * np.pi * 0.25)
        expected = likelihood @ values[:, t] / likelihood.sum()
        np.testing.assert_allclose(result[t, 0], expected, atol=1e-10)


def test_without_noise_the_optimum_is_left_open():
    task = pool(noise=0.0)
    assert np.all(np.isnan(jax.vmap(task.optimal)(sampled(task, KEY, 2).prompt)))
