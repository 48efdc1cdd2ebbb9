"""Classes of functions: what they draw, against second implementations in NumPy; their moments; the linear optimum."""

import dataclasses

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tasks.catalogue import FUNCTIONS, REAL_FUNCTIONS
from tests.compiled import one_episode, sampled

KEY = jax.random.key(0)
NAMES = sorted(REAL_FUNCTIONS)
LABELS = sorted({*FUNCTIONS} - {*REAL_FUNCTIONS})


def first(tree):
    return jax.tree.map(lambda leaf: np.asarray(leaf[0]), tree)


@pytest.mark.parametrize("name", NAMES)
def test_query_t_is_input_t_and_sees_the_examples_before(name):
    task = FUNCTIONS[name](num_context=4)
    episodes = task.sample(KEY, 3)
    prompt = episodes.prompt
    assert prompt.context.x.shape == (3, 4, task.input_dim)
    assert prompt.answers.shape == episodes.target.shape == (3, 4, 1)
    np.testing.assert_array_equal(prompt.query.x, prompt.context.x)
    np.testing.assert_array_equal(prompt.visible[0], [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]])
    np.testing.assert_array_equal(prompt.answers, episodes.target)  # without noise
    chex.assert_trees_all_equal(episodes, task.sample(KEY, 3))


@pytest.mark.parametrize("name", NAMES)
def test_noise_is_on_the_examples_alone_and_traced(name):
    """Of deviation .7, within 5 standard errors, on the same functions and inputs."""
    task = FUNCTIONS[name](num_context=8)
    sample = jax.jit(chex.assert_max_traces(n=1)(lambda task: task.sample(KEY, 500)))
    clean, noisy = sample(task), sample(dataclasses.replace(task, noise=0.7))
    np.testing.assert_allclose(noisy.target, clean.target, rtol=1e-6)
    noise = np.asarray(noisy.prompt.answers - noisy.target, np.float64)
    assert abs(noise.mean()) < 5 * 0.7 / np.sqrt(noise.size)
    assert abs(noise.std() - 0.7) < 5 * 0.7 / np.sqrt(2 * noise.size)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_second_moment(name):
    """Within 5 standard errors of the mean over functions, each with a few inputs."""
    task = FUNCTIONS[name](num_context=4)
    squares = np.mean(np.asarray(sampled(task, KEY, 20_000).target, np.float64)[..., 0] ** 2, axis=1)
    assert abs(squares.mean() - task.second_moment) < 5 * squares.std() / np.sqrt(len(squares))


def test_sparse_functions_have_so_many_coordinates_any_of_them():
    w = np.asarray(FUNCTIONS["sparse_linear"](input_dim=6, nonzero=2).draw(KEY, 3000))
    assert np.all((w != 0).sum(axis=1) == 2)
    share = (w != 0).mean(axis=0)
    assert np.abs(share - 1 / 3).max() < 5 * np.sqrt(2 / 9 / 3000)


def quadratic(w, x):
    return sum(w[i] * x[i] ** 2 for i in range(len(x))) / np.sqrt(3)


def relu_network(weights, x):
    u, v = weights
    return np.sqrt(2 / len(v)) * sum(v[h] * max(u[h] @ x, 0) for h in range(len(v)))


def decision_tree(weights, x):
    """With the nodes as a nested structure, from the leaves up."""
    coordinates, leaves = weights

    def grown(node):
        if node >= len(coordinates):
            return leaves[node - len(coordinates)]
        return coordinates[node], grown(2 * node + 1), grown(2 * node + 2)

    tree = grown(0)
    while isinstance(tree, tuple):
        asked, left, right = tree
        tree = right if x[asked] > 0 else left
    return tree


REFERENCES = {
    "linear": lambda w, x: sum(w[i] * x[i] for i in range(len(x))),
    "sparse_linear": lambda w, x: sum(w[i] * x[i] for i in np.flatnonzero(w)),
    "quadratic": quadratic,
    "relu_network": relu_network,
    "decision_tree": decision_tree,
    "sine": lambda weights, x: weights[0] * np.sin(x[0] + weights[1]),
}


@pytest.mark.parametrize("name", NAMES)
def test_functions_are_what_they_are_called(name, float64):
    task = FUNCTIONS[name]()
    weights, x = task.draw(KEY, 1), np.asarray(task.inputs(KEY, 1, 20)[0])
    result = task.values(weights, x[None])[0, :, 0]
    np.testing.assert_allclose(result, [REFERENCES[name](first(weights), each) for each in x], atol=1e-12)


def test_sines_lie_in_their_ranges():
    task = FUNCTIONS["sine"]()
    amplitude, phase = task.draw(KEY, 10_000)
    for values, (low, high) in ((amplitude, (0.1, 5)), (phase, (0, np.pi)), (task.inputs(KEY, 100, 100), (-5, 5))):
        assert values.min() >= low
        assert values.max() <= high
        assert abs(float(values.mean()) - (low + high) / 2) < 5 * (high - low) / np.sqrt(12 * values.size)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_the_linear_optimum_is_the_mean_of_the_posterior(noise, float64):
    """By conditioning the joint Gaussian of the visible answers and the query's target."""
    task = FUNCTIONS["linear"](num_context=7, input_dim=3, noise=noise)
    prompt = one_episode(task, KEY).prompt
    x, y = np.asarray(prompt.context.x), np.asarray(prompt.answers)
    expected = []
    for t in range(7):
        inverse = np.linalg.pinv(x[:t] @ x[:t].T + noise**2 * np.eye(t), rcond=1e-12) if t else np.zeros((0, 0))
        expected.append(x[t] @ x[:t].T @ inverse @ y[:t])
    np.testing.assert_allclose(jax.jit(task.optimal)(prompt), expected, atol=1e-9)


@pytest.mark.parametrize("name", LABELS)
def test_labels_follow_from_linear_functions(name):
    """The context shows the query's own label one-hot to all queries behind it; the answer 0 loses log 2."""
    task = FUNCTIONS[name](num_context=4, input_dim=3)
    episodes = sampled(task, KEY, 6)
    np.testing.assert_array_equal(np.argmax(episodes.prompt.answers, axis=-1), episodes.target)
    np.testing.assert_array_equal(np.sum(episodes.prompt.answers, axis=-1), np.ones((6, 4)))
    np.testing.assert_array_equal(episodes.prompt.visible[0], np.tril(np.ones((4, 4)), -1))
    losses = jax.vmap(task.loss)(jnp.zeros((6, 4, 2)), episodes.target)
    np.testing.assert_allclose(losses, np.full((6, 4), task.zero_loss), rtol=1e-6)


def test_labels_are_as_likely_as_they_are_said_to_be():
    """Signs exactly; of the logistic function the shares where it is about the same, within 5 standard errors."""
    values = jnp.linspace(-3, 3, 7)
    halves = FUNCTIONS["halfspaces"]().labels(KEY, values)
    np.testing.assert_array_equal(halves, [0, 0, 0, 0, 1, 1, 1])
    drawn = FUNCTIONS["logistic"](slope=2.0).labels(KEY, jnp.broadcast_to(values, (10_000, 7)))
    expected = 1 / (1 + np.exp(-2 * np.asarray(values)))
    bound = 5 * np.sqrt(expected * (1 - expected) / 10_000)
    np.testing.assert_array_less(np.abs(np.mean(drawn, axis=0) - expected), bound)


def test_a_halfspace_has_the_function_behind_it():
    """One w for all examples of an episode: the labels can be told apart by a plane."""
    task = FUNCTIONS["halfspaces"](num_context=6, input_dim=2)
    key_functions, _, _ = jax.random.split(KEY, 3)
    episodes, w = sampled(task, KEY, 50), task.draw(key_functions, 50)
    np.testing.assert_array_equal(episodes.target, jnp.einsum("bnx,bx->bn", episodes.prompt.context.x, w) > 0)
