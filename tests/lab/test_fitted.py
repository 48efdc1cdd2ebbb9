"""The model that is fitted to a table: its formula, its gradients, and that the context is nothing to it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners.embedded import FeatureMap
from lab.learners.fitted_rag import FittedRag
from tasks.catalogue import SYNTHETIC
from tests.lab.makers import one_prompt

TASK = SYNTHETIC["rag_dot"](input_dim=3, num_context=4, num_queries=2, output_dim=2)


def fitted(kind=Features.residual):
    layout, (key_features, key) = TokenLayout.of(TASK), jax.random.split(jax.random.key(3))
    return FittedRag(layout, FeatureMap(kind, layout.feature_dim, 5, key_features), TASK.document_width, key)


def phi(learner, prompt):
    """gelu by its usual approximation, which is JAX's default."""
    f, first, second = learner.layout.features(prompt.query), learner.features.inner, learner.features.outer
    h = np.asarray(f) @ np.asarray(first.kernel[...]) + np.asarray(first.bias[...])
    h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    return learner.features.residual * np.asarray(f) + h @ np.asarray(second.kernel[...]) + np.asarray(second.bias[...])


def gradients_of(learner, prompt, target):
    """Of the task's loss over the queries, by parameter."""
    graph, parameters, fixed = nnx.split(learner, nnx.Param, ...)
    return jax.grad(lambda p: jnp.mean(TASK.loss(nnx.merge(graph, p, fixed)(prompt), target)))(parameters)


@pytest.mark.parametrize("kind", [Features.residual, Features.mlp])
def test_the_formula(kind, float64):
    learner, prompt = fitted(kind), one_prompt(TASK)
    w_2 = np.linspace(-1.0, 1.0, learner.w_2[...].size).reshape(learner.w_2[...].shape)
    learner.w_2[...] = jnp.asarray(w_2)
    mean_document = sum(np.asarray(document) for document in prompt.documents) / len(prompt.documents)
    expected = phi(learner, prompt) @ np.asarray(learner.w_1[...]).T + w_2 @ mean_document
    np.testing.assert_allclose(learner(prompt), expected, atol=1e-12)


def test_the_context_is_nothing_to_it():
    learner, prompt = fitted(), one_prompt(TASK)
    answer = learner(prompt)
    other = prompt.replace(context=jax.tree.map(lambda leaf: -2.0 * leaf, prompt.context), answers=prompt.answers + 1)
    hidden = prompt.replace(visible=jnp.zeros((2, 4), bool))
    np.testing.assert_array_equal(learner(other), answer)
    np.testing.assert_array_equal(learner(hidden), answer)
    for seen in ({"query": jax.tree.map(lambda leaf: -2.0 * leaf, prompt.query)}, {"documents": -prompt.documents}):
        learner.w_2[...] = jnp.ones_like(learner.w_2[...])
        assert not np.allclose(learner(prompt.replace(**seen)), learner(prompt))


def test_the_first_gradient(float64):
    """Of W_1 and W_2 by hand: the errors times what each matrix is multiplied by. The features have one too."""
    learner, prompt = fitted(), one_prompt(TASK)
    target = np.array([[1.0, -2.0], [0.5, 3.0]])
    gradients = gradients_of(learner, prompt, target)
    errors = np.asarray(learner(prompt)) - target
    mean_document = np.mean(np.asarray(prompt.documents), axis=0)
    np.testing.assert_allclose(gradients["w_1"][...], errors.T @ phi(learner, prompt) / 2, atol=1e-12)
    np.testing.assert_allclose(gradients["w_2"][...], np.outer(errors.mean(axis=0), mean_document), atol=1e-12)
    leaves = jax.tree.leaves(gradients["features"])
    assert len(leaves) == 4
    assert all(np.any(leaf != 0) for leaf in leaves)


def test_how_it_starts():
    """W_1 has variance init_scale / F, here over many features; W_2 is zero."""
    layout = TokenLayout((("x", 20_000),), 1)
    features = FeatureMap(Features.mlp, 20_000, 1, jax.random.key(0))
    learner = FittedRag(layout, features, 4, jax.random.key(1), init_scale=0.5)
    assert float(jnp.var(learner.w_1[...]) * 20_000) == pytest.approx(0.5, rel=0.05)  # 5 standard errors
    assert np.all(learner.w_2[...] == 0)
    assert learner.w_2[...].shape == (1, 4)
