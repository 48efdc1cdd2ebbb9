"""ALiBi (Press et al. 2022, "Train short, test long"): scores fall linearly with the distance of the two positions.

Head h of H has the slope 2^(-8 h / H), h = 1 .. H.
"""

import jax
import jax.numpy as jnp

from lab.attention.positions.none import Positions


class Alibi(Positions):
    """A bias that falls with the distance, without parameters."""

    @staticmethod
    def bias(num_heads: int, positions_T: jax.Array, positions_S: jax.Array) -> jax.Array:
        slopes_H = 2.0 ** (-8.0 * jnp.arange(1, num_heads + 1) / num_heads)
        distance_TxS = jnp.abs(positions_T[:, None] - positions_S[None])
        return -slopes_H[:, None, None] * distance_TxS[None]
