"""Explicit gradient descent on the context (design 2.3, 2.4): the learner that the Transformers are compared with.

W_{k+1} = W_k - eta grad L(W_k), L(W) = 1/(2N) sum_i ||W f_i - y_i||^2, prediction W_K f_q. The gradient is JAX's of L.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.learner import Fixed, Layered
from tasks.episode import Prompt


def context_loss(w_YxF: jax.Array, f_NxF: jax.Array, y_NxY: jax.Array) -> jax.Array:
    """L(W) = 1/(2N) sum_i ||W f_i - y_i||^2, the loss that learning in context descends."""
    return 0.5 * jnp.mean(jnp.sum((f_NxF @ w_YxF.T - y_NxY) ** 2, axis=-1))


def descend(layout: TokenLayout, w_0_YxF: jax.Array, prompt: Prompt, eta: jax.Array, steps: int) -> jax.Array:
    """The predictions (steps, Q, Y) after each step from W_0."""
    f_NxF, f_QxF = layout.features(prompt.context), layout.features(prompt.query)

    def step(w_YxF, _):
        w_YxF = w_YxF - eta * jax.grad(context_loss)(w_YxF, f_NxF, prompt.answers)
        return w_YxF, f_QxF @ w_YxF.T

    return jax.lax.scan(step, w_0_YxF, length=steps)[1]


class GradientDescent(Layered):
    """`steps` steps of one rate eta from W_0 (Y, F), zero by default. eta is a parameter: a trainer can learn it."""

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
        if initial_model is None:
            initial_model = jnp.zeros((layout.answer_dim, layout.feature_dim))
        self.initial_model = Fixed(jnp.asarray(initial_model))

    def readouts(self, prompt: Prompt) -> jax.Array:
        return descend(self.layout, self.initial_model[...], prompt, self.eta[...], self.steps)
