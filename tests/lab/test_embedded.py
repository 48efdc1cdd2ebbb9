"""Learners over learned features, in context and fitted to a table."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.embedded import Embedded, FeatureMap
from lab.learners.fitted_rag import FittedRag
from lab.learners.linear_transformer import Shape
from tasks.catalogue import SYNTHETIC
from tests.compiled import called
from tests.lab import reference
from tests.lab.makers import NAMES, embedded, one_prompt

KINDS = [Features.residual, Features.mlp]


def phi(learner, inputs):
    """The features of some inputs by their formula."""
    f, (first, second) = np.asarray(learner.layout.features(inputs)), (learner.features.inner, learner.features.outer)
    h = reference.gelu(f @ np.asarray(first.kernel[...]) + np.asarray(first.bias[...]))
    return learner.features.residual * f + h @ np.asarray(second.kernel[...]) + np.asarray(second.bias[...])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_gradient_descent_on_features_is_its_closed_form(kind, name, float64):
    task = SYNTHETIC[name](input_dim=3, num_context=6, output_dim=2)
    learner = embedded(task, lambda layout: GradientDescent(layout, 0.2, 2), kind)
    learner.features.inner.bias[...] = jnp.linspace(-1.0, 1.0, 6)
    prompt = one_prompt(task)
    f, query = phi(learner, prompt.context), phi(learner, prompt.query)
    expected = reference.gradient_descent(f, prompt.answers, query, [0.2] * 2, jnp.zeros((2, f.shape[1])))[-1]
    np.testing.assert_allclose(jax.jit(lambda p: learner(p))(prompt), expected, atol=1e-12)


@pytest.mark.parametrize(("name", "steps"), [*((name, 3) for name in NAMES), ("rag_dot", 1)])
def test_a_transformer_on_the_same_features_can_be_that_descent(name, steps, float64):
    """The construction does not care where features come from."""
    task = SYNTHETIC[name](input_dim=3)
    descent = embedded(task, lambda layout: GradientDescent(layout, 0.2, steps))
    by_hand = embedded(
        task,
        lambda layout: constructed(
            Shape(layout, num_layers=steps, document_width=task.document_width), 0.2, task.num_context
        ),
    )
    prompt = one_prompt(task)
    np.testing.assert_allclose(called(by_hand, prompt), called(descent, prompt), atol=1e-12)


def test_features_are_trained_with_what_is_inside():
    """Every parameter, of the features and of the descent on them, has a gradient."""
    task = SYNTHETIC["plain"](input_dim=3)
    learner = embedded(task, lambda layout: GradientDescent(layout, 0.2, 2))
    graph, parameters, fixed = nnx.split(learner, nnx.Param, ...)

    def loss(parameters):
        return jnp.sum((nnx.merge(graph, parameters, fixed)(one_prompt(task)) - 1) ** 2)

    gradients = jax.tree.leaves(jax.jit(jax.grad(loss))(parameters))
    assert len(gradients) == 5
    assert all(np.any(gradient != 0) for gradient in gradients)


def test_there_may_be_more_features_than_inputs(float64):
    """The Transformer by hand on five features of two inputs is gradient descent on them."""
    task, inside = SYNTHETIC["plain"](input_dim=2), TokenLayout((("x", 5),), 1)
    features = FeatureMap(Features.mlp, 2, 6, jax.random.key(0), 5)
    prompt = one_prompt(task)
    by_hand, descent = (
        called(Embedded(TokenLayout.of(task), features, inner), prompt)
        for inner in (constructed(Shape(inside, num_layers=2), 0.2, 10), GradientDescent(inside, 0.2, 2))
    )
    assert features(prompt.context.x).shape == (10, 5)
    np.testing.assert_allclose(by_hand, descent, atol=1e-12)


RAG = SYNTHETIC["rag_dot"](input_dim=3, num_context=4, num_queries=2, output_dim=2)


def fitted(kind=Features.residual):
    layout, (key_features, key) = TokenLayout.of(RAG), jax.random.split(jax.random.key(3))
    return FittedRag(layout, FeatureMap(kind, layout.feature_dim, 5, key_features), RAG.document_width, key)


def gradients_of(learner, prompt, target):
    """Of the task's loss over the queries, by parameter."""
    graph, parameters, fixed = nnx.split(learner, nnx.Param, ...)
    return jax.grad(lambda p: jnp.mean(RAG.loss(nnx.merge(graph, p, fixed)(prompt), target)))(parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fitted_model_is_its_formula(kind, float64):
    learner, prompt = fitted(kind), one_prompt(RAG)
    w_2 = np.linspace(-1.0, 1.0, learner.w_2[...].size).reshape(learner.w_2[...].shape)
    learner.w_2[...] = jnp.asarray(w_2)
    mean_document = sum(np.asarray(document) for document in prompt.documents) / len(prompt.documents)
    expected = phi(learner, prompt.query) @ np.asarray(learner.w_1[...]).T + w_2 @ mean_document
    np.testing.assert_allclose(learner(prompt), expected, atol=1e-12)


def test_the_context_is_nothing_to_a_fitted_model():
    learner, prompt = fitted(), one_prompt(RAG)
    answer = learner(prompt)
    other = prompt.replace(context=jax.tree.map(lambda leaf: -2.0 * leaf, prompt.context), answers=prompt.answers + 1)
    hidden = prompt.replace(visible=jnp.zeros((2, 4), bool))
    np.testing.assert_array_equal(learner(other), answer)
    np.testing.assert_array_equal(learner(hidden), answer)
    for seen in ({"query": jax.tree.map(lambda leaf: -2.0 * leaf, prompt.query)}, {"documents": -prompt.documents}):
        learner.w_2[...] = jnp.ones_like(learner.w_2[...])
        assert not np.allclose(learner(prompt.replace(**seen)), learner(prompt))


def test_the_first_gradient_of_a_fitted_model(float64):
    """Of W_1 and W_2 by hand: the errors times what each matrix is multiplied by. The features have one too."""
    learner, prompt = fitted(), one_prompt(RAG)
    target = np.array([[1.0, -2.0], [0.5, 3.0]])
    gradients = gradients_of(learner, prompt, target)
    errors = np.asarray(learner(prompt)) - target
    mean_document = np.mean(np.asarray(prompt.documents), axis=0)
    np.testing.assert_allclose(gradients["w_1"][...], errors.T @ phi(learner, prompt.query) / 2, atol=1e-12)
    np.testing.assert_allclose(gradients["w_2"][...], np.outer(errors.mean(axis=0), mean_document), atol=1e-12)
    leaves = jax.tree.leaves(gradients["features"])
    assert len(leaves) == 4
    assert all(np.any(leaf != 0) for leaf in leaves)


def test_how_a_fitted_model_starts():
    """W_1 has variance init_scale / F, here over many features; W_2 is zero."""
    layout = TokenLayout((("x", 20_000),), 1)
    features = FeatureMap(Features.mlp, 20_000, 1, jax.random.key(0))
    learner = FittedRag(layout, features, 4, jax.random.key(1), init_scale=0.5)
    assert float(jnp.var(learner.w_1[...]) * 20_000) == pytest.approx(0.5, rel=0.05)  # 5 standard errors
    assert np.all(learner.w_2[...] == 0)
    assert learner.w_2[...].shape == (1, 4)
