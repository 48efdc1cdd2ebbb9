"""Explicit gradient descent on the loss that a task defines, where that is not squared error.

W_{k+1} = W_k - eta grad L(W_k) with L(W) = 1/N sum_i loss(W f_i, y_i) over the examples of the context, the loss being
the task's. JAX differentiates it. A step's prediction is affine in eta, as for squared error.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.descent import descend, starting_model
from lab.learners.learner import Layered
from tasks.episode import Prompt
from tasks.task import Task


class TaskDescent(Layered):
    """Takes `steps` steps of rate eta from W_0 (Y, F), zero by default, on the loss of a task.

    The task's `loss` must take the answers of a prompt as its targets, arrays (N, Y), and have a gradient.
    """

    honours_visible = True

    def __init__(
        self,
        task: Task,
        layout: TokenLayout,
        eta: float | jax.Array,
        steps: int = 1,
        initial_model: jax.Array | None = None,
    ):
        self.task = nnx.data(task.scoring)
        self.layout = layout
        self.steps = steps
        self.eta = nnx.Param(jnp.asarray(eta))
        self.initial_model = starting_model(layout, initial_model)

    def readouts(self, prompt: Prompt) -> jax.Array:
        return descend(self.layout, self.initial_model[...], prompt, self.eta[...], self.steps, self.task.loss)
