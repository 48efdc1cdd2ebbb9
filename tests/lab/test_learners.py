"""What every learner does: it is of one type, and sees what it may see."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.constant import Constant
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.interpolation import interpolated
from lab.learners.learner import Learner
from lab.learners.least_squares import LeastSquares
from lab.learners.ridge import Ridge
from lab.learners.shuffled import Mismatched
from tasks.catalogue import TASKS
from tests.lab.makers import (
    NAMES,
    answer,
    by_hand_of,
    embedded,
    episodes_of,
    gd_plus_plus,
    one_episode,
    shape_of,
    transformer,
)

# One row gives a learner every test of this file.
LEARNERS = {
    "transformer": lambda task: transformer(task, num_layers=2, num_heads=2),
    "constructed": lambda task: by_hand_of(task, num_layers=2),
    "interpolated": lambda task: jax.jit(interpolated)(transformer(task), by_hand_of(task)),
    "gradient_descent": lambda task: GradientDescent(TokenLayout.of(task), 0.5, steps=3),
    "gd_plus_plus": lambda task: gd_plus_plus(task, 3),
    "ridge": lambda task: Ridge(TokenLayout.of(task), 0.1),
    "least_squares": lambda task: LeastSquares(TokenLayout.of(task)),
    "embedded": lambda task: embedded(task, lambda layout: GradientDescent(layout, 0.5, steps=2)),
}
EVERY = list(itertools.product(sorted(LEARNERS), NAMES))


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_answers_every_prompt(learner, name):
    task = TASKS[name](input_dim=3, num_context=4, num_queries=2, output_dim=2)
    one = LEARNERS[learner](task)
    assert isinstance(one, Learner)
    episodes = episodes_of(task, 5)
    assert answer(one, episodes).shape == (5, 2, 2)
    leaves, structure = jax.tree.flatten(one)
    np.testing.assert_array_equal(answer(one, episodes), answer(jax.tree.unflatten(structure, leaves), episodes))


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_sees_neither_the_target_nor_other_queries_nor_the_order(learner, name, float64):
    task = TASKS[name](input_dim=3, num_context=4, num_queries=2)
    learner, episode = LEARNERS[learner](task), one_episode(task)
    one = jax.jit(lambda episode: learner(episode))
    said = one(episode)
    np.testing.assert_array_equal(one(episode.replace(query_y=episode.query_y + 1)), said)

    # zero gradient of the first query's prediction in the second query, nonzero in its own
    by_query = jax.jit(jax.jacobian(lambda x: learner(episode.replace(query=episode.query.replace(x=x)))[0]))(
        episode.query.x
    )
    assert np.all(by_query[:, 1] == 0)
    assert np.any(by_query[:, 0] != 0)

    turned = episode.replace(
        context=jax.tree.map(lambda a: a[::-1], episode.context), context_y=episode.context_y[::-1]
    )
    np.testing.assert_allclose(one(turned), said, atol=1e-10)  # a sum in another order


@pytest.mark.parametrize("name", NAMES)
def test_the_mean_is_the_answer_to_every_prompt(name):
    task = TASKS[name](num_queries=2, output_dim=2)
    said = answer(Constant(jnp.array([1.0, 2.0])), episodes_of(task, 3))
    np.testing.assert_array_equal(said, np.broadcast_to([1.0, 2.0], (3, 2, 2)))


def test_targets_of_other_examples():
    """Least squares that sees y_N, y_1, ..., y_(N-1) is least squares on an episode with those targets."""
    task = TASKS["plain"](num_context=4, input_dim=3)
    learner, episodes = LeastSquares(TokenLayout.of(task)), episodes_of(task, 3)
    turned = episodes.replace(context_y=episodes.context_y[:, jnp.array([3, 0, 1, 2])])
    np.testing.assert_array_equal(answer(Mismatched(learner), episodes), answer(learner, turned))
    assert not np.allclose(answer(learner, episodes), answer(learner, turned))


def test_trained_and_constructed_are_one_pytree_type():
    task = TASKS["rag_dot"]()
    trained, by_hand = transformer(task), constructed(shape_of(task), 0.5, 10)
    assert jax.tree.structure(trained) == jax.tree.structure(by_hand)


def test_the_initial_model_is_not_a_parameter():
    task = TASKS["plain"]()
    _, parameters, fixed = nnx.split(transformer(task), nnx.Param, ...)
    assert len(jax.tree.leaves(parameters)) == 6
    assert len(jax.tree.leaves(fixed)) == 1
