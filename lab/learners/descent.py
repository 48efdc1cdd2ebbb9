"""Explicit gradient descent on the context, the learner that the Transformers are compared with.

W_{k+1} = W_k - eta grad L(W_k) with L(W) = 1/(2N) sum_i ||W f_i - y_i||^2, and after K steps the prediction is W_K f_q.
JAX differentiates L.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.learner import Fixed, Layered
from tasks.episode import Prompt
from tasks.task import Task

ExampleLoss = Callable[[jax.Array, jax.Array], jax.Array]  # answers and targets (N, Y) -> the loss of each example (N,)


def squared_error(answer_NxY: jax.Array, target_NxY: jax.Array) -> jax.Array:
    """Return 1/2 ||answer - target||^2 of each example (N,)."""
    return 0.5 * jnp.sum((answer_NxY - target_NxY) ** 2, axis=-1)


def context_loss(
    w_YxF: jax.Array,
    f_NxF: jax.Array,
    y_NxY: jax.Array,
    visible_N: jax.Array | None = None,
    loss: ExampleLoss = squared_error,
) -> jax.Array:
    """Return L(W) = 1/N sum_i loss(W f_i, y_i), the loss that learning in context descends.

    Where examples are hidden, the sum is over the visible ones, N of them; where all are hidden, L = 0.
    """
    losses_N = loss(f_NxF @ w_YxF.T, y_NxY)
    if visible_N is None:
        return jnp.mean(losses_N)
    return jnp.sum(jnp.where(visible_N, losses_N, 0.0)) / jnp.maximum(jnp.sum(visible_N), 1)


def descend(
    layout: TokenLayout,
    w_0_YxF: jax.Array,
    prompt: Prompt,
    eta: jax.Array,
    steps: int,
    loss: ExampleLoss = squared_error,
) -> jax.Array:
    """Return the predictions (steps, Q, Y) after each step from W_0."""
    f_NxF, f_QxF = layout.features(prompt.context), layout.features(prompt.query)

    def path(f_QxF: jax.Array, visible_N: jax.Array | None) -> jax.Array:
        def step(w_YxF, _):
            w_YxF = w_YxF - eta * jax.grad(context_loss)(w_YxF, f_NxF, prompt.answers, visible_N, loss)
            return w_YxF, f_QxF @ w_YxF.T

        return jax.lax.scan(step, w_0_YxF, length=steps)[1]

    if prompt.visible is None:
        return path(f_QxF, None)
    query_path = jax.vmap(lambda f_F, visible_N: path(f_F[None], visible_N)[:, 0], out_axes=1)
    return query_path(f_QxF, prompt.visible)


def starting_model(layout: TokenLayout, initial_model: jax.Array | None) -> Fixed:
    """Return the starting model W_0 (Y, F) of a learner, as an array that no trainer changes; None gives zero."""
    if initial_model is None:
        initial_model = jnp.zeros((layout.answer_dim, layout.feature_dim))
    return Fixed(jnp.asarray(initial_model))


class Stepwise(Layered):
    """Base class of learners that take `steps` steps from W_0 (Y, F), zero by default, in multiples of a fixed `unit`.

    Their trained parameters start where they make gradient descent of rate `unit`.
    """

    def __init__(
        self, layout: TokenLayout, unit: float | jax.Array, steps: int, initial_model: jax.Array | None = None
    ):
        self.layout = layout
        self.steps = steps
        self.unit = Fixed(jnp.asarray(unit))
        self.initial_model = starting_model(layout, initial_model)


class GradientDescent(Layered):
    """Takes `steps` steps of rate eta from W_0 (Y, F), zero by default; eta is a parameter that a trainer can learn."""

    honours_visible = True

    def __init__(
        self,
        layout: TokenLayout,
        eta: float | jax.Array,
        steps: int = 1,
        initial_model: jax.Array | None = None,
    ):
        self.layout = layout
        self.steps = steps
        self.eta = nnx.Param(jnp.asarray(eta))
        self.initial_model = starting_model(layout, initial_model)

    def readouts(self, prompt: Prompt) -> jax.Array:
        return descend(self.layout, self.initial_model[...], prompt, self.eta[...], self.steps)


class TaskDescent(GradientDescent):
    """Gradient descent on a task's own loss, L(W) = 1/N sum_i loss(W f_i, y_i), where that is not squared error.

    The task's `loss` must take the answers of a prompt as its targets, arrays (N, Y), and have a gradient. A step's
    prediction is affine in eta, as for squared error.
    """

    def __init__(
        self,
        task: Task,
        layout: TokenLayout,
        eta: float | jax.Array,
        steps: int = 1,
        initial_model: jax.Array | None = None,
    ):
        super().__init__(layout, eta, steps, initial_model)
        self.task = nnx.data(task.scoring)

    def readouts(self, prompt: Prompt) -> jax.Array:
        return descend(self.layout, self.initial_model[...], prompt, self.eta[...], self.steps, self.task.loss)
