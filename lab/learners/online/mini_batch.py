"""Mini-batch gradient descent: one step per b examples on the sum of beta_i / 2 |W f_i - y_i|^2. With decays, W and
what an example adds shrink by the decays of later examples. TTT-linear is this learner.
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.rule import Tokens
from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gates
from lab.learners.online.learner import OnlineLearner


class MiniBatches(OnlineLearner):
    """Takes one step per `size` examples, the last of which may be fewer."""

    def __init__(
        self,
        layout: TokenLayout,
        gates: Gates,
        size: int,
        passes: int = 1,
        initial_model: jax.Array | None = None,
    ):
        super().__init__(layout, gates, passes, initial_model)
        self.size = size

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        w_YxF = w_0_YxF
        for first in range(0, len(examples.keys), self.size):
            batch = jax.tree.map(lambda leaf, first=first: leaf[first : first + self.size], examples)
            weights_C = batch.rates * later_decays(batch.decays)
            gradient_YxF = jax.grad(_loss)(w_YxF, batch, weights_C)
            w_YxF = jnp.prod(batch.decays) * w_YxF - gradient_YxF
        return w_YxF


def later_decays(decays_N: jax.Array) -> jax.Array:
    """Return the product of the decays after each example, (N,)."""
    return jnp.append(jnp.cumprod(decays_N[::-1])[-2::-1], 1.0) if len(decays_N) > 1 else jnp.ones_like(decays_N)


def _loss(w_YxF: jax.Array, batch: Tokens, weights_C: jax.Array) -> jax.Array:
    return 0.5 * jnp.sum(weights_C[:, None] * (batch.keys @ w_YxF.T - batch.values) ** 2)
