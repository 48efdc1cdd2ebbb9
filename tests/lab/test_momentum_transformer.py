"""Linear attention with a moving average beside it: its limits, and what it cannot be. Against the slow pass with the
recursion: tests/lab/test_transformer.py."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.learners.linear_transformer import LinearTransformer
from lab.learners.momentum_transformer import MomentumTransformer
from tasks.catalogue import TASKS
from tests.lab import reference
from tests.lab.makers import KEY, answer, episodes_of, one_prompt, shape_of

DEPTHS = [{"num_layers": 1}, {"num_layers": 2}, {"num_layers": 2, "num_heads": 2, "recurrent": False}]


def pair(task, logit=0.3, **options):
    """A linear Transformer, and one with momentum, which starts from the same weights and an eta of a half."""
    shape = shape_of(task, **options)
    linear, momentum = (kind(shape, KEY, 0.3) for kind in (LinearTransformer, MomentumTransformer))
    np.testing.assert_array_equal(momentum.etas(), 0.5)
    for block in momentum.blocks:
        block.logit[...] = logit + jnp.arange(shape.num_heads, dtype=float)
    return linear, momentum


def answer_to(model, prompt, x):
    return jax.jit(lambda model, prompt: model(prompt))(model, prompt.replace(query=prompt.query.replace(x=x)))


@pytest.mark.parametrize("name", ["plain", "rag_dot"])
@pytest.mark.parametrize("depth", DEPTHS, ids=str)
def test_without_an_eta_it_is_linear_attention(depth, name, float64):
    """eta = e^-40 = 4e-18: the average is below the rounding of what it is added to."""
    task = TASKS[name](input_dim=2, num_context=5, num_queries=2)
    linear, momentum = pair(task, logit=-40.0, **depth)
    prompts = episodes_of(task, 4).prompt
    np.testing.assert_allclose(answer(momentum, prompts), answer(linear, prompts), rtol=1e-12, atol=1e-13)
    moved = pair(task, logit=-4.0, **depth)[1]
    assert np.max(np.abs(answer(moved, prompts) - answer(linear, prompts))) > 1e-3


def test_one_layer_adds_the_average_whatever_the_query(float64):
    """The answer is linear attention's minus P s in the y-slot, s by the recursion; so the sensitivity to the query is
    linear attention's, and the answer to x = 0 is not 0, as it is for W x with any W."""
    task = TASKS["plain"](input_dim=3, num_context=5, num_queries=4)
    linear, momentum = pair(task)
    prompt, block = one_prompt(task), momentum.blocks[0]
    tokens = np.concatenate([prompt.context.x, prompt.answers], axis=-1)
    values = tokens @ np.asarray(block.w_v[...])[0].T
    eta = 1 / (1 + np.exp(-0.3))
    written = reference.moving_average(eta, values, 6)[-1] @ np.asarray(block.p[...])[0].T
    x = prompt.query.x.at[0].set(0.0)
    added = answer_to(momentum, prompt, x) - answer_to(linear, prompt, x)
    np.testing.assert_allclose(added, np.broadcast_to(-written[3:], (4, 1)), rtol=0, atol=1e-13)
    assert np.abs(written[3]) > 0.01
    np.testing.assert_array_equal(answer_to(linear, prompt, x)[0], 0)
    slopes = [
        jax.jit(jax.jacobian(lambda x, model=model: model(prompt.replace(query=prompt.query.replace(x=x)))))(x)
        for model in (linear, momentum)
    ]
    np.testing.assert_allclose(*slopes, rtol=0, atol=1e-13)


@pytest.mark.parametrize("depth", DEPTHS, ids=str)
def test_what_does_not_depend_on_the_query_only_costs(depth, float64):
    """At any depth the answer is affine in the query, A x + c, and the target is W x. Over x and -x the mean of the
    squares of A x + c - W x is that of A x - W x, plus c^2: all that the average can be good for is in A. In one layer
    A is linear attention's."""
    task = TASKS["plain"](input_dim=3, num_context=5, num_queries=2)
    linear, momentum = pair(task, **depth)
    episode = jax.tree.map(lambda leaf: leaf[0], episodes_of(task, 1))
    prompt, x, target = episode.prompt, episode.prompt.query.x[:1], episode.target[:1]
    both = jnp.concatenate([x, -x])
    constant = answer_to(momentum, prompt, jnp.zeros((2, 3)))[0]
    ahead, behind = answer_to(momentum, prompt, both)
    np.testing.assert_allclose(ahead + behind, 2 * constant, rtol=1e-12, atol=1e-13)
    residuals = answer_to(momentum, prompt, both) - jnp.concatenate([target, -target])
    odd = ahead - constant - target[0]
    np.testing.assert_allclose(jnp.mean(residuals**2), odd @ odd + constant @ constant, rtol=1e-12)
    difference = np.max(np.abs(odd - (answer_to(linear, prompt, both)[0] - target[0])))
    assert difference < 1e-12 if depth == DEPTHS[0] else difference > 1e-3
