"""Iterative Newton on the context: the inverse of the second moment by Newton's method (Schulz 1933), with
which Fu et al. 2023 (arXiv 2310.17086) compare trained Transformers.

With C = 1/N sum_i f_i f_i^T, M_1 = eta I and M_{k+1} = M_k (2I - C M_k), the prediction after step k is W_k f_q with
W_k = W_0 + 1/N sum_i (y_i - W_0 f_i) f_i^T M_k. As I - C M_{k+1} = (I - C M_k)^2, step k is 2^(k-1) steps of gradient
descent of rate eta. It converges to least squares where eta is below 2 over the largest eigenvalue of C.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.descent import Stepwise
from tasks.episode import Prompt


class Newton(Stepwise):
    """Iterative Newton with a trained eta, `unit` times a parameter that starts at 1; it begins with gradient descent.

    initial_model: W_0 (Y, F); None for zero.
    """

    def __init__(
        self, layout: TokenLayout, unit: float | jax.Array, steps: int, initial_model: jax.Array | None = None
    ):
        super().__init__(layout, unit, steps, initial_model)
        self.relative_eta = nnx.Param(jnp.ones(()))

    @property
    def eta(self) -> jax.Array:
        """Return eta, ()."""
        return self.unit[...] * self.relative_eta[...]

    def readouts(self, prompt: Prompt) -> jax.Array:
        f_NxF, f_QxF = self.layout.features(prompt.context), self.layout.features(prompt.query)
        w_0_YxF = self.initial_model[...]
        examples = f_NxF.shape[0]
        second_moment_FxF = f_NxF.T @ f_NxF / examples
        cross_YxF = (prompt.answers - f_NxF @ w_0_YxF.T).T @ f_NxF / examples
        identity_FxF = jnp.eye(f_NxF.shape[1])

        def step(inverse_FxF, _):
            answer_QxY = f_QxF @ (w_0_YxF + cross_YxF @ inverse_FxF).T
            return inverse_FxF @ (2 * identity_FxF - second_moment_FxF @ inverse_FxF), answer_QxY

        return jax.lax.scan(step, self.eta * identity_FxF, length=self.steps)[1]
