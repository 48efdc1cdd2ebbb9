"""Proximal (implicit) stochastic gradient descent: each W minimises |W - alpha W'|^2 + beta |W f - y|^2, with W' the
one before. Longhorn's layer is this learner.
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.rule import Tokens
from lab.attention.solve import solve_positive
from lab.learners.online.learner import OnlineLearner


class Proximal(OnlineLearner):
    """Solves for W at every example."""

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        def step(w_YxF: jax.Array, example: Tokens):
            weighted_F = example.rates * example.keys
            system_FxF = jnp.eye(len(weighted_F)) + example.keys[:, None] * weighted_F[None]
            right_YxF = example.decays * w_YxF + example.values[:, None] * weighted_F[None]
            return solve_positive(system_FxF, right_YxF.T).T, None

        return jax.lax.scan(step, w_0_YxF, examples)[0]
