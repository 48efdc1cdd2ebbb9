"""Transformers on interleaved tokens, by their formulas and by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.config.choices import AttentionKind
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.interleaved import InterleavedTransformer, Shape, constructed
from lab.learners.learner import predict
from tasks.catalogue import TASKS
from tests.lab import reference
from tests.lab.makers import KEY, one_prompt, prompts_of
from tests.pairs import pairs

FIRST = list(AttentionKind)


def shape_of(task, **options):
    return Shape(TokenLayout.of(task), task.num_context, **options)


def random_model(task, **options):
    shape = shape_of(task, **options)
    return jax.jit(lambda key: InterleavedTransformer(shape, key, init_scale=1.0))(KEY)


def by_formula(model, prompt):
    """Token by token and head by head, in NumPy: the tokens after the first layer, and the read-outs behind it."""
    f, y, fq = (np.asarray(each) for each in (prompt.context.x, prompt.answers, prompt.query.x))
    positions = np.eye(2 * len(f) + 1)
    zero_f, zero_y = np.zeros(f.shape[1]), np.zeros(y.shape[1])
    tokens = []
    for index in range(len(f)):
        tokens.append(np.concatenate([f[index], positions[2 * index], zero_y]))
        tokens.append(np.concatenate([zero_f, positions[2 * index + 1], y[index]]))
    tokens += [np.concatenate([query, positions[-1], zero_y]) for query in fq]
    tokens, context, readouts, merged = np.array(tokens), 2 * len(f), [], None
    blocks = [model.first, *[*model.blocks] * (model.shape.num_layers // len(model.blocks))]
    for layer, block in enumerate(blocks):
        weigh = reference.softmax if layer == 0 and model.shape.first is AttentionKind.softmax else list
        tokens = tokens + reference.attention_layer(block, tokens, context, weigh)[0]
        merged = tokens if layer == 0 else merged
        readouts += [-tokens[context:, -len(zero_y) :]] * (layer > 0)
    return merged, np.array(readouts)


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize(("layers", "recurrent"), [(1, True), (2, True), (2, False)])
def test_the_forward_pass_is_its_formula(first, layers, recurrent, float64):
    """To rounding: read-outs are of order 1 to 1e4, since weights are of variance 1 / D."""
    task = TASKS["plain"](num_context=3, input_dim=2, output_dim=2, num_queries=2)
    model = random_model(task, first=first, num_layers=layers, recurrent=recurrent, num_heads=2)
    prompt = one_prompt(task)
    merged, readouts = by_formula(model, prompt)
    np.testing.assert_allclose(jnp.concatenate(model.merged(*model.tokens(prompt))), merged, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(jax.jit(lambda p: model.readouts(p))(prompt), readouts, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("first", "steps", "outputs", "tolerance"), pairs(FIRST, (1, 2, 5), (1, 3), (1e-10, 1e-5)))
def test_construction_is_gradient_descent(first, steps, outputs, tolerance):
    """Equal to the learner that differentiates L, with one block and with a block per layer, and to the closed form.

    Under softmax a token that is not copied has the weight e^-60, so rounding is all that differs.
    """
    task, eta = TASKS["plain"](num_context=6, input_dim=3, output_dim=outputs, num_queries=2), 1.2
    shapes = [shape_of(task, first=first, num_layers=steps, recurrent=each, num_heads=2) for each in (True, False)]

    def answers(prompts):
        descent = GradientDescent(TokenLayout.of(task), eta, steps)
        return [predict(constructed(shape, eta), prompts) for shape in shapes], predict(descent, prompts)

    with jax.enable_x64(tolerance == 1e-10):
        prompts = prompts_of(task, 20)
        by_hand, descent = jax.jit(answers)(prompts)
    prompt = jax.tree.map(lambda leaf: np.asarray(leaf[0], np.float64), prompts)
    x, x_query, w_0 = prompt.context.x, prompt.query.x, np.zeros((outputs, 3))
    expected = reference.gradient_descent(x, prompt.answers, x_query, [eta] * steps, w_0)[-1]
    for each in by_hand:
        assert each.dtype == (jnp.float64 if tolerance == 1e-10 else jnp.float32)
        np.testing.assert_allclose(each, descent, rtol=0, atol=tolerance)
        np.testing.assert_allclose(each[0], expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("first", FIRST)
def test_the_first_layer_by_hand_merges_tokens(first, float64):
    """Tokens of inputs show the answer too, those of answers and the query stay as they are."""
    task = TASKS["plain"](num_context=4, input_dim=2)
    model, prompt = constructed(shape_of(task, first=first), 1.0), one_prompt(task)
    before, after = model.tokens(prompt), model.merged(*model.tokens(prompt))
    np.testing.assert_allclose(after[0][::2, :2], prompt.context.x, atol=1e-12)
    np.testing.assert_allclose(after[0][::2, -1:], prompt.answers, atol=1e-12)
    np.testing.assert_allclose(after[0][1::2], before[0][1::2], atol=1e-12)
    np.testing.assert_allclose(after[1], before[1], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("first", FIRST)
def test_every_parameter_is_trained_but_those_of_documents(first):
    task = TASKS["plain"](num_context=3, input_dim=2)
    graph, parameters, rest = nnx.split(random_model(task, first=first), nnx.Param, ...)
    gradient = jax.grad(lambda p: jnp.sum(nnx.merge(graph, p, rest)(one_prompt(task)) ** 2))(parameters)
    leaves = jax.tree.leaves(gradient)
    assert len(leaves) == 12
    assert all(jnp.any(leaf != 0) for leaf in leaves if leaf.size)
