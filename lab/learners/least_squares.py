"""Least squares in context predicts W f_q, with W of smallest norm among those that fit the context best."""

import jax
import jax.numpy as jnp

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import by_query
from lab.learners.learner import Learner
from tasks.episode import Prompt


class LeastSquares(Learner):
    """The limit of ridge regression as its penalty goes to zero, by a singular value decomposition."""

    honours_visible = True  # an example with f = y = 0 fits every W, and W of smallest norm is not changed by it

    def __init__(self, layout: TokenLayout):
        self.layout = layout

    def __call__(self, prompt: Prompt) -> jax.Array:
        return by_query(_answers, self.layout, prompt)


def _answers(f_NxF: jax.Array, y_NxY: jax.Array, f_QxF: jax.Array) -> jax.Array:
    return f_QxF @ jnp.linalg.lstsq(f_NxF, y_NxY)[0]
