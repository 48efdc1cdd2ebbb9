"""Gradient descent on a task's own loss."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.theory import has_oracle
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent, TaskDescent
from tasks.catalogue import TASKS
from tasks.plain import Plain
from tasks.regression import has_squared_error
from tasks.shift import Shift, Shifted
from tasks.task import pytree
from tests.lab.makers import answer, prompts_of

SIZES: dict[str, Any] = {"input_dim": 3, "output_dim": 2, "num_context": 5, "num_queries": 2}


@pytree
@dataclasses.dataclass
class Huber(Plain):
    delta: float = 0.3

    def loss(self, answer_QxY, target_QxY):
        size = jnp.abs(answer_QxY - target_QxY)
        small = size < self.delta
        return jnp.sum(jnp.where(small, size**2 / 2, self.delta * (size - self.delta / 2)), axis=-1)


def by_hand(prompt, delta, eta, steps, w_0):
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
        np.testing.assert_allclose(answers, by_hand(prompt, 0.3, 0.7, steps, w_0), rtol=1e-12, atol=1e-12)


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
