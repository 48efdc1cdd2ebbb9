"""Ridge regression in context predicts W f_q, where W minimises sum_i ||W f_i - y_i||^2 + penalty ||W||^2."""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.attention.solve import solve_positive
from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import by_query
from lab.learners.learner import Learner
from tasks.episode import Prompt


class Ridge(Learner):
    """Ridge regression; for a teacher with N(0, 1) entries and target noise of variance `penalty`, the Bayes predictor.

    The system is solved in the space of examples (N, N) or of features (F, F), whichever is smaller.
    """

    honours_visible = True  # an example with f = y = 0 adds nothing to the objective

    def __init__(self, layout: TokenLayout, penalty: float | jax.Array):
        self.layout = layout
        self.penalty = nnx.Param(jnp.asarray(penalty))

    def __call__(self, prompt: Prompt) -> jax.Array:
        return by_query(self._answers, self.layout, prompt)

    def _answers(self, f_NxF: jax.Array, y_NxY: jax.Array, f_QxF: jax.Array) -> jax.Array:
        examples, features = f_NxF.shape
        if examples <= features:
            w_FxY = f_NxF.T @ self._solve(f_NxF @ f_NxF.T, y_NxY)
        else:
            w_FxY = self._solve(f_NxF.T @ f_NxF, f_NxF.T @ y_NxY)
        return f_QxF @ w_FxY

    def _solve(self, gram, right):
        return solve_positive(gram + self.penalty[...] * jnp.eye(gram.shape[0]), right)
