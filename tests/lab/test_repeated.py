"""A layer that is applied more often than in training, against stacks that hold it as often."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.attention_stacks import SoftmaxTransformer
from lab.learners.damped_iteration import Repeated
from lab.learners.descent import GradientDescent
from lab.learners.linear_transformer import LinearTransformer
from tasks.catalogue import TASKS
from tests.lab import reference
from tests.lab.makers import KEY, by_hand_of, one_prompt, shape_of, transformer

DAMPING = 0.6


def readouts(learner, prompt):
    return jax.jit(lambda prompt: learner.readouts(prompt))(prompt)


@pytest.mark.parametrize(("name", "options"), [("plain", {}), ("rag_dot", {}), ("plain", {"clip": 0.3})], ids=str)
def test_it_is_a_deeper_stack_whose_layer_writes_less(name, options, float64):
    """What a linear layer adds is linear in P, so damping it is another P."""
    task = TASKS[name](input_dim=3, num_context=4, num_queries=2)
    model = transformer(task, num_heads=2, **options)
    deep = LinearTransformer(shape_of(task, num_heads=2, num_layers=6, **options), KEY)
    for attribute in ("w_q", "w_k", "w_v", "p", "w_dk", "w_dv"):
        getattr(deep.blocks[0], attribute)[...] = getattr(model.blocks[0], attribute)[...]
    deep.blocks[0].p[...] = DAMPING * model.blocks[0].p[...]
    prompt = one_prompt(task)
    result = readouts(Repeated(model, 6, DAMPING), prompt)
    assert result.shape == (6, 2, 1)
    np.testing.assert_allclose(result, readouts(deep, prompt), rtol=1e-10, atol=1e-12)


def test_undamped_softmax_layers_are_a_loop(float64):
    task = TASKS["plain"](input_dim=3, num_context=4, num_queries=2)
    model = jax.jit(lambda key: SoftmaxTransformer(shape_of(task, num_layers=5), key, 1.0))(KEY)
    prompt = one_prompt(task)
    expected = reference.attention_stack(model, prompt, reference.softmax)["readouts"]
    np.testing.assert_allclose(readouts(Repeated(model, 5), prompt), expected, rtol=1e-10, atol=1e-12)


def test_the_constructed_layer_is_gradient_descent_of_the_damped_rate(float64):
    """`by_hand_of` constructs a step of rate .5."""
    task, prompt = TASKS["plain"](input_dim=3), one_prompt(TASKS["plain"](input_dim=3))
    expected = readouts(GradientDescent(TokenLayout.of(task), 0.5 * DAMPING, 50), prompt)
    result = readouts(Repeated(by_hand_of(task), 50, jnp.asarray(DAMPING)), prompt)
    np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)


def test_answers_alone_are_changed_as_if_p_wrote_nothing_else(float64):
    task = TASKS["plain"](input_dim=3, num_context=4, num_queries=2)
    model, silent, prompt = transformer(task), transformer(task), one_prompt(task)
    result = readouts(Repeated(model, 5, DAMPING, answers_only=True), prompt)
    silent.blocks[0].p[...] = silent.blocks[0].p[...].at[:, :3].set(0.0)
    np.testing.assert_allclose(result, readouts(Repeated(silent, 5, DAMPING), prompt), rtol=1e-10, atol=1e-12)
    assert np.all(np.abs(result[1:] - readouts(Repeated(model, 5, DAMPING), prompt)[1:]) > 1e-6)


def test_several_blocks_have_no_one_layer():
    task = TASKS["plain"](input_dim=3)
    with pytest.raises(ValueError, match="2 blocks"):
        Repeated(transformer(task, num_layers=2, recurrent=False), 3)
