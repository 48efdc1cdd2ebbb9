"""Curricula: what training meets at each step, and that all steps are one program."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder import Decoder
from lab.learners.decoder_shape import Shape
from tasks.catalogue import FUNCTIONS
from tasks.curriculum import Curriculum, Plan
from tests.compiled import sampled
from trainers import meta
from trainers.recipe import Recipe

KEY = jax.random.key(0)
TASK = FUNCTIONS["linear"](num_context=6, input_dim=4, noise=0.5)
PLAN = Plan(every=10.0, inputs=2.0, examples=3.0, more_inputs=1.0, more_examples=2.0)
NONE = PLAN.replace(every=0.0)


@pytest.mark.parametrize(("step", "inputs", "examples"), [(0, 2, 3), (9, 2, 3), (10, 3, 5), (29, 4, 6), (500, 4, 6)])
def test_inputs_and_examples_grow(step, inputs, examples):
    stage = Curriculum(TASK, PLAN).at(jnp.array(step))
    episodes, whole = sampled(stage, KEY, 5), sampled(TASK, KEY, 5)
    x, all_x = np.asarray(episodes.prompt.context.x), np.asarray(whole.prompt.context.x)
    np.testing.assert_array_equal(x[..., :inputs], all_x[..., :inputs])
    assert not x[..., inputs:].any()
    np.testing.assert_array_equal(x, episodes.prompt.query.x)
    weights = TASK.draw(jax.random.split(KEY, 3)[0], 5)  # the function's values are those of the inputs that are shown
    np.testing.assert_allclose(episodes.target[..., 0], jnp.einsum("bnx,bx->bn", x, weights), rtol=1e-5, atol=1e-6)
    answers = jnp.ones((6, 1))
    result = jnp.mean(stage.loss(answers, episodes.target[0]))
    assert float(result) == pytest.approx(float(jnp.mean(TASK.loss(answers, episodes.target[0])[:examples])), rel=1e-6)


def test_without_a_plan_nothing_changes():
    stage = Curriculum(TASK, NONE).at(jnp.array(7))
    chex.assert_trees_all_equal(sampled(stage, KEY, 3), sampled(TASK, KEY, 3))
    target = sampled(TASK, KEY, 1).target[0]
    np.testing.assert_array_equal(stage.loss(jnp.ones((6, 1)), target), TASK.loss(jnp.ones((6, 1)), target))


def test_it_is_measured_on_the_task_itself():
    task = Curriculum(TASK, PLAN)
    chex.assert_trees_all_equal(sampled(task, KEY, 3), sampled(TASK, KEY, 3))


@pytest.mark.slow
def test_training_meets_each_stage_and_compiles_once():
    """Up to the first increment it is training on the first stage alone."""
    shape = Shape(Merged(TokenLayout.of(TASK)), 6, width=4, num_layers=1, num_heads=1, num_groups=1, mlp_width=4)
    recipe = Recipe(steps=30, batch_size=2, warmup=0.0, learning_rate=0.01, init_scale=1.0)
    state = meta.begin(lambda key, scale: Decoder(shape, key, scale), recipe, KEY)
    train = jax.jit(chex.assert_max_traces(n=1)(meta.train), static_argnames="steps")
    _, losses = train(state, Curriculum(TASK, PLAN), recipe, KEY, steps=12)
    _, plain_losses = train(state, Curriculum(TASK, NONE), recipe, KEY, steps=12)
    _, expected = jax.jit(meta.train, static_argnames="steps")(state, TASK, recipe, KEY, steps=12)
    np.testing.assert_allclose(plain_losses, expected, rtol=1e-5)
    assert not np.allclose(losses, plain_losses)
    first = Curriculum(TASK, PLAN).at(jnp.array(0))
    _, of_stage = jax.jit(meta.train, static_argnames="steps")(state, first, recipe, KEY, steps=12)
    np.testing.assert_allclose(losses[:10], of_stage[:10], rtol=1e-5)
    assert not np.allclose(losses[10:], of_stage[10:])
