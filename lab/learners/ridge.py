"""Ridge regression in context: W minimises sum_i ||W f_i - y_i||^2 + penalty ||W||^2, prediction W f_q."""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Learner
from lab.tokens import TokenLayout
from tasks.episode import Episode


class Ridge(Learner):
    """For a teacher with independent N(0, 1) entries and target noise of variance `penalty`, the Bayes predictor.

    Solved in the space of examples (N, N) or of features (F, F), whichever is smaller, by Cholesky factors.
    """

    def __init__(self, layout: TokenLayout, penalty: float | jax.Array):
        self.layout = layout
        self.penalty = nnx.Param(jnp.asarray(penalty))

    def __call__(self, episode: Episode) -> jax.Array:
        f_NxF, y_NxY = self.layout.features(episode.context), episode.context_y
        f_QxF = self.layout.features(episode.query)
        examples, features = f_NxF.shape
        if examples <= features:
            return f_QxF @ (f_NxF.T @ self._solve(f_NxF @ f_NxF.T, y_NxY))
        return f_QxF @ self._solve(f_NxF.T @ f_NxF, f_NxF.T @ y_NxY)

    def _solve(self, gram, right):
        regular = gram + self.penalty[...] * jnp.eye(gram.shape[0])
        return jax.scipy.linalg.solve(regular, right, assume_a="pos")
