"""Learners over learned features."""

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
from lab.learners.linear_transformer import Shape
from tasks.catalogue import SYNTHETIC
from tests.compiled import called
from tests.lab import reference
from tests.lab.makers import NAMES, embedded, one_prompt

KINDS = [Features.residual, Features.mlp]


def phi(learner, f):
    """The formula, gelu by its usual approximation, which is JAX's default."""
    first, second = learner.features.inner, learner.features.outer
    h = np.asarray(f) @ np.asarray(first.kernel[...]) + np.asarray(first.bias[...])
    h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    return h @ np.asarray(second.kernel[...]) + np.asarray(second.bias[...])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_gradient_descent_on_features_is_its_closed_form(kind, name, float64):
    task = SYNTHETIC[name](input_dim=3, num_context=6, output_dim=2)
    learner = embedded(task, lambda layout: GradientDescent(layout, 0.2, 2), kind)
    learner.features.inner.bias[...] = jnp.linspace(-1.0, 1.0, 6)
    prompt = one_prompt(task)
    raw, raw_query = learner.layout.features(prompt.context), learner.layout.features(prompt.query)
    plus = kind is Features.residual
    f, query = (plus * np.asarray(each) + phi(learner, each) for each in (raw, raw_query))
    expected = reference.gradient_descent(f, prompt.answers, query, 0.2, 2, jnp.zeros((2, f.shape[1])))
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
