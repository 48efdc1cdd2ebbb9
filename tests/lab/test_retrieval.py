"""Retrieve, then descend."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.config.choices import Injection
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.learner import predict
from lab.learners.linear_transformer import Shape
from lab.learners.retrieval import RetrievedDescent, retrieve_then_descend
from tasks.rag_dot import RagDot
from tests.compiled import sampled
from tests.lab import reference
from trainers.meta import mean_loss

KEY = jax.random.key(0)
TASK = RagDot(input_dim=4, output_dim=2, num_documents=3, num_queries=2, sigma=0.6, shared=True)
LAYOUT = TokenLayout.of(TASK)


def retriever(task):
    return [a[0] for a in task.retriever(KEY, 1)]


def deep(layers, **options):
    defaults = {"recurrent": False, "injection": Injection.each, "document_width": TASK.document_width}
    return Shape(LAYOUT, num_layers=layers, **(defaults | options))


@pytest.mark.parametrize("layers", [2, 3])
def test_construction_is_gradient_descent_from_the_retrieved_model(layers, float64):
    w_z, m = retriever(TASK)
    model = retrieve_then_descend(deep(layers), 0.7, TASK.num_context, w_z, m)
    explicit = RetrievedDescent(LAYOUT, 0.7, w_z, m, steps=layers - 1)
    prompts = sampled(TASK, KEY, 10).prompt
    answers = jax.jit(predict)(model, prompts)
    np.testing.assert_allclose(answers, jax.jit(predict)(explicit, prompts), atol=1e-12)

    # and both are the formula, written out: W_0(D) = W_z (sum d d^T) M^T on x, then steps on (x, x)
    one = jax.tree.map(lambda a: a[0], prompts)
    c = sum(np.outer(d, d) for d in one.documents)
    w_0 = np.concatenate([np.asarray(w_z) @ c @ np.asarray(m).T, np.zeros((2, 4))], axis=1)
    f, f_query = LAYOUT.features(one.context), LAYOUT.features(one.query)
    expected = reference.gradient_descent(f, one.answers, f_query, [0.7] * (layers - 1), w_0)[-1]
    np.testing.assert_allclose(answers[0], expected, atol=1e-12)
    np.testing.assert_allclose(model.readouts(one)[0], f_query @ w_0.T, atol=1e-12)  # the retrieved model


@pytest.mark.slow
def test_documents_lower_the_loss():
    """At the best rate for either, one step from the retrieved model leaves plain's loss, one from zero more."""
    task = RagDot(sigma=0.6, shared=True)
    layout, (w_z, m) = TokenLayout.of(task), retriever(task)
    episodes = jax.jit(lambda: task.sample(KEY, 4000))()
    etas = jnp.linspace(0.2, 1.2, 11)
    from_zero = jax.jit(jax.vmap(lambda eta: mean_loss(GradientDescent(layout, eta), task, episodes)))(etas)
    retrieved = jax.jit(jax.vmap(lambda eta: mean_loss(RetrievedDescent(layout, eta, w_z, m), task, episodes)))(etas)
    assert abs(retrieved.min() / 0.825 - 1) < 0.1  # 4,000 episodes know it to 2%, the grid of rates to 1%
    assert from_zero.min() > 1.2 * retrieved.min()  # how much more depends on the retriever that was drawn


@pytest.mark.parametrize("options", [{"recurrent": True}, {"injection": Injection.pooled}])
def test_it_says_what_it_needs(options):
    with pytest.raises(ValueError, match="row for each document"):
        retrieve_then_descend(deep(2, **options), 0.7, 10, *retriever(TASK))
