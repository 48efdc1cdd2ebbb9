"""Metrics between learners, against closed forms, finite differences and themselves."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics import answers as evaluation
from analysis.metrics.alignment import Answers, align, answers, losses, mean_and_error
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.catalogue import SYNTHETIC, TASKS
from tasks.episode import Inputs

KEY = jax.random.key(0)
NAMES = sorted(SYNTHETIC)


@pytest.mark.parametrize("name", NAMES)
def test_sensitivity_of_gradient_descent_is_its_model(name, float64):
    """dA/df_q is W_K; where x is shown twice, in x_q, the sum of its two halves."""
    task = TASKS[name](input_dim=3, output_dim=2, num_queries=2)
    layout = TokenLayout.of(task)
    learner = GradientDescent(layout, 0.4, steps=2)
    prompts = jax.jit(lambda: task.sample(KEY, 4).prompt)()
    # the model itself, from predictions on the unit vectors of features
    units = jnp.eye(layout.feature_dim)
    at_units = GradientDescent(TokenLayout((("x", layout.feature_dim),), 2), 0.4, steps=2)
    queries = jnp.broadcast_to(units, (4, *units.shape))
    wide = prompts.replace(context=Inputs(layout.features(prompts.context)), query=Inputs(queries))
    models_BxYxF = jax.jit(jax.vmap(at_units))(wide).mT
    expected = models_BxYxF @ layout.feature_duplication
    found = jax.jit(answers)(learner, prompts)
    for query in range(2):
        np.testing.assert_allclose(found.sensitivity[:, query], expected, atol=1e-12)
    np.testing.assert_array_equal(found.prediction, jax.jit(jax.vmap(learner))(prompts))


@pytest.mark.parametrize("name", NAMES)
def test_sensitivity_of_a_transformer_is_its_difference_quotient(name, float64):
    """Central differences of width 1e-5 err by about 1e-10 times the third derivative, and 1e-11 of rounding."""
    task = TASKS[name](input_dim=3)
    shape = Shape(TokenLayout.of(task), num_layers=2, document_width=task.document_width)
    model = LinearTransformer(shape, KEY, 1.0)
    prompts = task.sample(KEY, 3).prompt
    predictions = jax.jit(jax.vmap(model))

    def moved(by, i):
        return predictions(prompts.replace(query=prompts.query.replace(x=prompts.query.x.at[:, :, i].add(by))))

    found = jax.jit(answers)(model, prompts).sensitivity
    for i in range(3):
        quotient = (moved(1e-5, i) - moved(-1e-5, i)) / 2e-5
        np.testing.assert_allclose(found[..., i], quotient, rtol=1e-6, atol=1e-8)


def test_alignment_of_known_answers():
    one = Answers(jnp.array([[[0.0, 0.0]]]), jnp.array([[[[1.0, 0.0], [0.0, 1.0]]]]), None)
    two = Answers(jnp.array([[[3.0, 4.0]]]), jnp.array([[[[1.0, 0.0], [0.0, 0.0]]]]), None)
    found = align(one, two)
    assert found["prediction_l2"] == 5
    assert found["sensitivity_l2"] == 1
    np.testing.assert_allclose(found["sensitivity_cosine"], 1 / np.sqrt(2), rtol=1e-6)
    itself = align(one, one)
    assert itself["prediction_l2"] == itself["sensitivity_l2"] == 0
    np.testing.assert_allclose(itself["sensitivity_cosine"], 1, rtol=1e-6)


def test_a_zero_gradient_is_left_out_of_the_cosine_and_counted():
    some = Answers(jnp.ones((3, 1, 1)), jnp.ones((3, 1, 1, 2)), None)
    none = Answers(jnp.ones((3, 1, 1)), jnp.ones((3, 1, 1, 2)).at[1].set(0.0), None)
    cosine = mean_and_error(align(some, none)["sensitivity_cosine"])
    assert cosine["left_out"] == 1
    np.testing.assert_allclose(cosine["mean"], 1, rtol=1e-6)


def test_mean_and_error_are_numpys():
    values = np.random.default_rng(0).normal(size=50).astype(np.float32)
    found = mean_and_error(jnp.array([*values, jnp.nan, jnp.nan]))
    np.testing.assert_allclose(found["mean"], values.mean(), rtol=1e-5)
    np.testing.assert_allclose(found["stderr"], values.std(ddof=1) / np.sqrt(50), rtol=1e-5)
    assert found["left_out"] == 2


@pytest.mark.parametrize("at_a_time", [100, 8, 3, 1])
def test_comparison_in_blocks_is_the_comparison_of_their_episodes(at_a_time, monkeypatch):
    """23 episodes in blocks of 8, held against the same 23 drawn by hand, however many are measured at a time; the
    differences of losses are paired."""
    monkeypatch.setattr(evaluation, "BLOCK", 10)
    task = TASKS["plain"](input_dim=2)
    layout = TokenLayout.of(task)
    learners = {"a": GradientDescent(layout, 0.5), "b": GradientDescent(layout, 1.0, steps=2)}
    found = evaluation.compare(learners, "a", task, KEY, 23, fit=lambda *program: at_a_time)
    batches = [task.sample(jax.random.fold_in(KEY, i), 8) for i in range(3)]
    loss = {
        name: np.concatenate([losses(task, answers(learner, batch.prompt).prediction, batch) for batch in batches])[:23]
        for name, learner in learners.items()
    }
    for name in "ab":
        np.testing.assert_allclose(found["loss"][name]["mean"], loss[name].mean(), rtol=1e-5)
    difference = loss["a"] - loss["b"]
    paired = found["alignment"]["b"]["loss_difference"]
    np.testing.assert_allclose(paired["mean"], difference.mean(), rtol=1e-4)
    np.testing.assert_allclose(paired["stderr"], difference.std(ddof=1) / np.sqrt(23), rtol=1e-4)


def test_learners_of_one_structure_answer_as_each_does_alone():
    task = TASKS["rag_dot"](input_dim=3)
    layout = TokenLayout.of(task)
    shape = Shape(layout, document_width=3)
    learners = {name: LinearTransformer(shape, jax.random.key(i), 1.0) for i, name in enumerate("abc")}
    learners |= {"descent": GradientDescent(layout, 0.5), "deeper": GradientDescent(layout, 0.5, steps=2)}
    prompts = task.sample(jax.random.key(9), 8).prompt
    together = evaluation.vmap_learners(lambda learner: answers(learner, prompts), learners)
    assert list(together) == list(learners)
    for name, learner in learners.items():
        alone = answers(learner, prompts)
        np.testing.assert_allclose(together[name].prediction, alone.prediction, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(together[name].sensitivity, alone.sensitivity, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(together[name].readouts[:, -1], alone.prediction, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(alone.readouts, jax.vmap(learner.readouts)(prompts), rtol=1e-5, atol=1e-6)
