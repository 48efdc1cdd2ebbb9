"""Ridge regression in context: W minimises sum_i ||W f_i - y_i||^2 + penalty ||W||^2, prediction W f_q."""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.learner import Learner
from tasks.episode import Prompt


class Ridge(Learner):
    """For a teacher with independent N(0, 1) entries and target noise of variance `penalty`, the Bayes predictor.

    Solved in the space of examples (N, N) or of features (F, F), whichever is smaller. An example that a query does not
    see is one with f = y = 0, which constrains nothing.
    """

    honours_visible = True

    def __init__(self, layout: TokenLayout, penalty: float | jax.Array):
        self.layout = layout
        self.penalty = nnx.Param(jnp.asarray(penalty))

    def __call__(self, prompt: Prompt) -> jax.Array:
        f_NxF, y_NxY = self.layout.features(prompt.context), prompt.answers
        f_QxF = self.layout.features(prompt.query)
        if prompt.visible is None:
            return f_QxF @ self._model(f_NxF, y_NxY)

        def one_query(f_F: jax.Array, visible_N: jax.Array) -> jax.Array:
            seen_NxF, seen_NxY = (jnp.where(visible_N[:, None], each, 0.0) for each in (f_NxF, y_NxY))
            return f_F @ self._model(seen_NxF, seen_NxY)

        return jax.vmap(one_query)(f_QxF, prompt.visible)

    def _model(self, f_NxF: jax.Array, y_NxY: jax.Array) -> jax.Array:
        """(F, Y)."""
        examples, features = f_NxF.shape
        if examples <= features:
            return f_NxF.T @ self._solve(f_NxF @ f_NxF.T, y_NxY)
        return self._solve(f_NxF.T @ f_NxF, f_NxF.T @ y_NxY)

    def _solve(self, gram, right):
        return solve_positive(gram + self.penalty[...] * jnp.eye(gram.shape[0]), right)


def solve_positive(a_NxN: jax.Array, b_NxY: jax.Array) -> jax.Array:
    """The solution of a x = b for a symmetric positive definite a, by elimination, which needs no pivots there.

    Not by LAPACK: on a CPU, XLA's batched LAPACK calls wait for threads of the pool that runs them, and two that run at
    once in one program (least squares has one) can wait for each other for ever on a machine of two cores.
    """
    size = a_NxN.shape[0]

    def eliminate(i, rows):
        row = rows[i] / rows[i, i]
        return (rows - rows[:, i, None] * row[None]).at[i].set(row)

    return jax.lax.fori_loop(0, size, eliminate, jnp.concatenate([a_NxN, b_NxY], axis=1))[:, size:]
