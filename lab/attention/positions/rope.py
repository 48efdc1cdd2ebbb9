"""Rotary positions (Su et al. 2021, "RoFormer"): queries and keys turn with their position.

Coordinates a and a + A/2 of a head form a plane, that turns by position * BASE^(-2a/A). Norms are kept, and a score
depends on the difference of the two positions alone.
"""

import jax
import jax.numpy as jnp

from lab.attention.positions.none import Positions

BASE = 10_000.0


class Rope(Positions):
    def rotate(self, vectors_HxTxA: jax.Array, positions_T: jax.Array) -> jax.Array:
        """
        Raises:
            ValueError: the width of a head is odd.
        """
        width = vectors_HxTxA.shape[-1]
        if width % 2:
            raise ValueError(f"rotary positions turn planes, and a head of width {width} has no such number of them")
        speeds = BASE ** (-jnp.arange(0, width, 2) / width)
        angle_TxR = positions_T[:, None] * speeds[None]
        cos, sin = jnp.cos(angle_TxR)[None], jnp.sin(angle_TxR)[None]
        first, second = jnp.split(vectors_HxTxA, 2, axis=-1)
        return jnp.concatenate([cos * first - sin * second, sin * first + cos * second], axis=-1)
