"""Bayes-optimal answers: of listed trees and sets of coordinates, against one of them at a time by Gaussian algebra;
and of all tasks, by what must hold of a posterior."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.learners.given import Optimal
from tasks.changing_teacher import Drifting, Switching
from tasks.click_streams import Clicks, OrderedClicks
from tasks.functions.decision_tree import DecisionTree, listed, pattern
from tasks.functions.sparse_linear import SparseLinear
from tasks.hmm_mixture import HmmMixture
from tasks.plain import Plain
from tasks.shifted_classes import ShiftedClasses
from tasks.symbols import Markov
from tests.compiled import called, one_episode, sampled
from trainers.decoders.evaluation import optimal

TREES = DecisionTree(num_context=12, input_dim=3, depth=2)
SETS = SparseLinear(num_context=8, input_dim=5, nonzero=2)


def by_gaussians(covariances, y, noise, probabilities=1.0):
    """The mean (Y,) of f at the last of several inputs, given y (n, Y) at the others; the values of each function are
    N(0, covariance), and it has this probability before."""
    logs, means = [], []
    for covariance in covariances:
        seen = covariance[:-1, :-1] + noise**2 * np.eye(len(y))
        solved = np.linalg.solve(seen, y)
        logs.append(-0.5 * (np.sum(y * solved) + y.shape[1] * np.linalg.slogdet(seen)[1]))
        means.append(covariance[-1, :-1] @ solved)
    weights = probabilities * np.exp(np.array(logs) - max(logs))
    return weights @ np.array(means) / weights.sum()


def leaf_of(tree, x, depth):
    node = 0
    for _ in range(depth):
        node = 2 * node + 1 + int(x[tree[node]] > 0)
    return node


def by_trees(x, y, query, noise):
    points = [*x, query]
    leaves = [[leaf_of(tree, point, 2) for point in points] for tree in itertools.product(range(3), repeat=3)]
    return by_gaussians([np.equal.outer(each, each).astype(float) for each in leaves], y, noise)


def by_sets(x, y, query, noise):
    points = np.array([*x, query])
    return by_gaussians([points[:, each] @ points[:, each].T for each in itertools.combinations(range(5), 2)], y, noise)


@pytest.mark.parametrize(("task", "expected"), [(TREES, by_trees), (SETS, by_sets)], ids=["trees", "sets"])
@pytest.mark.parametrize("noise", [0.5, 0.05])
def test_answers_are_those_of_one_function_at_a_time(task, expected, noise, float64):
    """Also where the noise is not that of the task, as it is traced."""
    prompt = one_episode(task, jax.random.key(1)).prompt
    noisy = type(task)(**{**vars(task), "noise": noise})
    y = prompt.answers + noise * jax.random.normal(jax.random.key(2), prompt.answers.shape)
    answers = called(noisy.optimal, prompt.replace(answers=y))
    x, query, targets = (np.asarray(each) for each in (prompt.context.x, prompt.query.x, y))
    assert answers[0] == 0
    for count in range(1, len(y)):
        one = expected(x[:count], targets[:count], query[count], noise)
        np.testing.assert_allclose(answers[count], one, rtol=0, atol=1e-9)  # conditions up to 1e4 times 1e-16 a step


def test_without_noise_trees_that_divide_the_examples_as_their_answers_do_count_alike(float64):
    """The answer is a mean over these trees: of the leaf's answer, or 0 where the leaf has no example. By the stated
    weight of trees with more leaves that have examples, it is so to 1e-5 for each of four leaves."""
    prompt = one_episode(TREES, jax.random.key(3)).prompt
    x, y, query = (np.asarray(each) for each in (prompt.context.x, prompt.answers[:, 0], prompt.query.x))
    answers = called(TREES.optimal, prompt)[:, 0]
    for count in range(1, len(y)):
        values = []
        for tree in itertools.product(range(3), repeat=3):
            leaves = np.array([leaf_of(tree, point, 2) for point in x[:count]])
            if (np.equal.outer(leaves, leaves) == np.equal.outer(y[:count], y[:count])).all():
                inside = y[:count][leaves == leaf_of(tree, query[count], 2)]
                values.append(inside[0] if len(inside) else 0.0)
        assert values
        np.testing.assert_allclose(answers[count], np.mean(values), rtol=0, atol=4e-5 * np.abs(y).max())


REAL = {
    "trees": DecisionTree(num_context=10, input_dim=4, depth=3, noise=0.2),
    "sets": SETS,
    "sets with noise": SparseLinear(num_context=8, input_dim=5, nonzero=2, noise=0.3),
    "drifting": Drifting(num_context=4, input_dim=3, persistence=0.8, noise=0.3),
    "switching": Switching(num_context=4, input_dim=3, change=0.3, noise=0.3),
    "plain": Plain(num_context=4, input_dim=10),
}
CLASSES = {
    "classes": ShiftedClasses(permuted=0.5), "chains": Markov(), "hidden chains": HmmMixture(),
    "clicks": Clicks(num_context=6, num_targets=6), "ordered clicks": OrderedClicks(num_context=6, num_targets=6),
    "clicks of far order": OrderedClicks(num_context=6, num_targets=6, lag=3),
}  # fmt: skip


@pytest.mark.parametrize("task", REAL.values(), ids=REAL)
def test_errors_are_orthogonal_to_answers(task):
    """So they are of a posterior mean, and of no other answer that is not 0: at 4 standard errors over episodes."""
    episodes = sampled(task, jax.random.key(4), 5000)
    answers = jax.jit(jax.vmap(task.optimal))(episodes.prompt)
    product = np.asarray((episodes.target - answers) * answers)[..., 0]
    error = product.std(axis=0) / np.sqrt(len(product))
    assert (np.abs(product.mean(axis=0)) <= 4 * error + 1e-6).all()
    shrunk = np.asarray((episodes.target - 0.8 * answers) * answers)[..., 0].mean(axis=1)
    assert shrunk.mean() > 4 * shrunk.std() / np.sqrt(len(shrunk))


@pytest.mark.parametrize("task", CLASSES.values(), ids=CLASSES)
def test_probabilities_are_calibrated(task):
    """The right class's probability and sum_c p_c^2 have the same mean, within 4 standard errors over episodes."""
    episodes = sampled(task, jax.random.key(4), 2000)
    p = jax.nn.softmax(jax.jit(jax.vmap(task.optimal))(episodes.prompt))
    right = jnp.take_along_axis(p, episodes.target.astype(int)[..., None], axis=-1)[..., 0]
    surplus = np.asarray(jnp.mean(right - jnp.sum(p**2, axis=-1), axis=-1))
    assert abs(surplus.mean()) < 4 * surplus.std() / np.sqrt(len(surplus))


def test_one_example_more_than_coordinates_is_enough_without_noise(float64):
    episodes = sampled(SETS, jax.random.key(5), 200)
    errors = np.abs(jax.jit(jax.vmap(SETS.optimal))(episodes.prompt) - episodes.target)[..., 0]
    assert np.median(errors[:, 2]) > 0.1
    assert np.quantile(errors[:, 3:], 0.95) < 1e-4  # about 1e-8 / eigenvalues, which may be .001, but for likely sets


def test_the_leaves_of_all_trees():
    """Of depth 3 on 4 inputs: subcubes with one, two or three fixed signs, 8 + 24 + 32."""
    leaves, has_leaf, trees = listed(4, 3)
    assert len(leaves) == 64
    assert trees.sum() == 4**7
    np.testing.assert_array_equal(has_leaf.astype(int) @ leaves.astype(int), 1)  # every input is in one leaf
    patterns = pattern(jnp.array([[1.0, -1.0, 2.0], [-1.0, -1.0, -1.0], [-1.0, 3.0, 0.5]]))
    np.testing.assert_array_equal(patterns, [5, 0, 6])


@pytest.mark.parametrize(
    ("task", "is_known"),
    [
        (DecisionTree(num_context=3, input_dim=4, depth=3), True),
        (DecisionTree(num_context=3, input_dim=5, depth=3), False),
        (SparseLinear(num_context=3, input_dim=8, nonzero=2), True),
        (SparseLinear(num_context=3, input_dim=20, nonzero=3), False),
    ],
)
def test_what_cannot_be_listed_has_no_known_answer(task, is_known):
    assert [*optimal(task)] == ["optimal"] * is_known
    if is_known:
        assert isinstance(optimal(task)["optimal"], Optimal)
