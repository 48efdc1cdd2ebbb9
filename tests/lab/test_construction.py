"""Gradient descent, by hand and by its formulas, also on a task's own loss."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.theory import has_oracle
from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent, TaskDescent
from lab.learners.learner import predict
from tasks.catalogue import TASKS
from tasks.plain import Plain
from tasks.regression import has_squared_error
from tasks.shift import Shift, Shifted
from tasks.task import pytree
from tests.lab.makers import KEY, NAMES, answer, gd_plus_plus, prompts_of, shape_of
from tests.pairs import pairs


@pytest.mark.parametrize(("name", "steps", "outputs", "tolerance"), pairs(NAMES, (1, 3), (1, 3), (1e-12, 1e-5)))
def test_construction_is_gradient_descent(name, steps, outputs, tolerance):
    """Equal to the learner that differentiates L, from zero and from a W_0, with one block and with a block a layer.

    eta is about the best single step's, so that predictions are of order 1.
    """
    task, eta = TASKS[name](output_dim=outputs), 0.75 if name == "rag_dot" else 1.2
    layout = TokenLayout.of(task)

    def differences(prompts):
        some = 0.3 * jax.random.normal(KEY, (outputs, layout.feature_dim))
        for recurrent, w_0 in ((True, None), (True, some), (False, some)):
            shape = shape_of(task, num_layers=steps, num_heads=2, recurrent=recurrent)
            by_hand = predict(constructed(shape, eta, task.num_context, w_0), prompts)
            yield by_hand - predict(GradientDescent(layout, eta, steps, w_0), prompts)

    wide = tolerance == 1e-12
    with jax.enable_x64(wide):
        result = jax.jit(lambda prompts: list(differences(prompts)))(prompts_of(task, 20))
    assert len(result) == 3
    for difference in result:
        assert difference.dtype == (jnp.float64 if wide else jnp.float32)
        assert np.abs(difference).max() < tolerance


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("clip", [None, 1.05])
def test_a_transformer_contains_gd_plus_plus(name, clip, float64):
    """A layer whose value matrix also takes gamma/eta of the features away is GD++'s step, at every read-out.

    The clip is above the features (1 at most) and below some targets, so that it acts on the targets alone.
    """
    task, steps = TASKS[name](input_dim=4, output_dim=2, num_queries=2), 3
    learner = gd_plus_plus(task, steps, clip=clip)
    layout = learner.layout
    model = constructed(shape_of(task, num_layers=steps, recurrent=False, clip=clip), 1.0, task.num_context)
    features = jnp.arange(layout.feature_dim)
    for block, eta, gamma in zip(model.blocks, *learner.rates(), strict=True):
        block.p[...] *= eta
        block.w_v[...] = block.w_v[...].at[0, features, features].set(-gamma / eta)
    prompts = prompts_of(task, 20)
    readouts = jax.jit(lambda learner: jax.vmap(learner.readouts)(prompts))
    result = readouts(learner)
    assert result.shape == (20, steps, 2, 2)
    np.testing.assert_allclose(readouts(model), result, atol=1e-12)
    clipped = np.abs(result) == clip if clip else np.zeros(1)
    assert clipped.any() == (clip is not None)


SIZES: dict[str, Any] = {"input_dim": 3, "output_dim": 2, "num_context": 5, "num_queries": 2}


@pytree
@dataclasses.dataclass
class Huber(Plain):
    delta: float = 0.3

    def loss(self, answer_QxY, target_QxY):
        size = jnp.abs(answer_QxY - target_QxY)
        small = size < self.delta
        return jnp.sum(jnp.where(small, size**2 / 2, self.delta * (size - self.delta / 2)), axis=-1)


def huber_descent(prompt, delta, eta, steps, w_0):
    """Huber's loss has the derivative clip(residual, -delta, delta)."""
    f, y, query = (np.asarray(each, np.float64) for each in (prompt.context.x, prompt.answers, prompt.query.x))
    w = np.array(w_0, np.float64)
    for _ in range(steps):
        w -= eta * np.clip(f @ w.T - y, -delta, delta).T @ f / len(f)
    return query @ w.T


@pytest.mark.parametrize("steps", [1, 3])
def test_steps_are_those_of_the_derivative_by_hand(steps, float64):
    task, w_0 = Huber(**SIZES), np.linspace(-1, 1, 6).reshape(2, 3)
    prompts = prompts_of(task, 4)
    learner = TaskDescent(task, TokenLayout.of(task), 0.7, steps, jnp.asarray(w_0))
    for answers, prompt in zip(answer(learner, prompts), map(lambda i: jax.tree.map(lambda a: a[i], prompts), range(4)),
                               strict=True):  # fmt: skip
        np.testing.assert_allclose(answers, huber_descent(prompt, 0.3, 0.7, steps, w_0), rtol=1e-12, atol=1e-12)


def test_on_squared_error_it_is_gradient_descent():
    """Bit for bit: the same operations, in a wrapped task as well."""
    task = Plain(**SIZES)
    layout, prompts = TokenLayout.of(task), prompts_of(task, 4)
    expected = answer(GradientDescent(layout, 0.7, 2), prompts)
    for one in (task, Shifted(task, Shift.of(task, alpha=0.5))):
        np.testing.assert_array_equal(answer(TaskDescent(one, layout, 0.7, 2), prompts), expected)


def test_which_tasks_have_squared_error():
    plain, huber = Plain(), Huber()
    assert has_squared_error(plain)
    assert has_squared_error(Shifted(plain, Shift.of(plain)))
    assert not has_squared_error(huber)
    assert not has_squared_error(Shifted(huber, Shift.of(huber)))
    assert not has_squared_error(TASKS["shifted_classes"]())
    assert has_oracle(plain)
    assert not has_oracle(huber), "the closed form is that of squared error"
