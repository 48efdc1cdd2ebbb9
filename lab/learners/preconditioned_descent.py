"""Gradient descent with a preconditioner, a matrix for all episodes that multiplies each gradient [Ahn23].

W_{k+1} = W_k - grad L(W_k) P_k with L(W) = 1/(2N) sum_i ||W f_i - y_i||^2, and after K steps the prediction is W_K f_q.
One layer of linear self-attention can compute such a step. For one step and features with independent coordinates the
best P is known (`analysis.metrics.theory.preconditioned_step`).
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.descent import Stepwise, context_loss
from tasks.episode import Prompt


class PreconditionedDescent(Stepwise):
    """Descent with trained matrices P, `unit` times parameters that start at the identity, as gradient descent has it.

    shared: whether all steps have one P (F, F), as layers with common weights have; else each step has its own.
    initial_model: W_0 (Y, F); None for zero.
    """

    def __init__(
        self,
        layout: TokenLayout,
        unit: float | jax.Array,
        steps: int,
        shared: bool = True,
        initial_model: jax.Array | None = None,
    ):
        super().__init__(layout, unit, steps, initial_model)
        identity_FxF = jnp.eye(layout.feature_dim)
        self.relative = nnx.Param(jnp.tile(identity_FxF, (1 if shared else steps, 1, 1)))

    @property
    def preconditioners(self) -> jax.Array:
        """Return the matrix P of every step, (steps, F, F)."""
        features = self.layout.feature_dim
        return jnp.broadcast_to(self.unit[...] * self.relative[...], (self.steps, features, features))

    def readouts(self, prompt: Prompt) -> jax.Array:
        f_NxF, f_QxF = self.layout.features(prompt.context), self.layout.features(prompt.query)

        def step(w_YxF, preconditioner_FxF):
            w_YxF = w_YxF - jax.grad(context_loss)(w_YxF, f_NxF, prompt.answers) @ preconditioner_FxF
            return w_YxF, f_QxF @ w_YxF.T

        return jax.lax.scan(step, self.initial_model[...], self.preconditioners)[1]
