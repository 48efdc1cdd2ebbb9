"""Ridge regression with weights that forget: W minimises sum_i c_i |W f_i - y_i|^2 + penalty |W - W_0|^2, where c_i is
example i's rate times the decays of the later examples. The mesa layer is this learner. The penalty is not trained:
only its ratio to the rates matters.
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.rule import Tokens
from lab.attention.solve import solve_positive
from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gates
from lab.learners.learner import Fixed
from lab.learners.online.learner import OnlineLearner


class WeightedRidge(OnlineLearner):
    """Solves once, with a fixed penalty."""

    def __init__(
        self,
        layout: TokenLayout,
        gates: Gates,
        penalty: float | jax.Array,
        passes: int = 1,
        initial_model: jax.Array | None = None,
    ):
        super().__init__(layout, gates, passes, initial_model)
        self.penalty = Fixed(jnp.asarray(penalty))

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        penalty, f_NxF = self.penalty[...], examples.keys
        weighted_NxF = (examples.rates * later_decays(examples.decays))[:, None] * f_NxF
        system_FxF = weighted_NxF.T @ f_NxF + penalty * jnp.eye(f_NxF.shape[1])
        residual_NxY = examples.values - f_NxF @ w_0_YxF.T
        return w_0_YxF + solve_positive(system_FxF, weighted_NxF.T @ residual_NxY).T


def later_decays(decays_N: jax.Array) -> jax.Array:
    """Return the product of the decays after each example, (N,)."""
    return jnp.append(jnp.cumprod(decays_N[::-1])[-2::-1], 1.0) if len(decays_N) > 1 else jnp.ones_like(decays_N)
