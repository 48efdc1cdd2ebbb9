"""Rotary positions (Su et al. 2021, "RoFormer") rotate queries and keys by angles that grow with the position.

Coordinates a and a + A/2 of a head form a plane, which is rotated by the angle position * BASE^(-2a/A). Norms stay the
same, and a score depends on the positions only through their difference.
"""

import jax
import jax.numpy as jnp

from lab.attention.positions.none import Positions

BASE = 10_000.0


class Rope(Positions):
    """Rotary positions, without parameters."""

    def rotate(self, vectors_HxTxA: jax.Array, positions_T: jax.Array) -> jax.Array:
        """Return the rotated queries or keys, (H, T, A).

        Raises:
            ValueError: the width of a head is odd.
        """
        width = vectors_HxTxA.shape[-1]
        if width % 2:
            raise ValueError(f"rotary positions need heads of even width, and this one has width {width}")
        speeds = BASE ** (-jnp.arange(0, width, 2) / width)
        angle_TxR = positions_T[:, None] * speeds[None]
        cos, sin = jnp.cos(angle_TxR)[None], jnp.sin(angle_TxR)[None]
        first, second = jnp.split(vectors_HxTxA, 2, axis=-1)
        return jnp.concatenate([cos * first - sin * second, sin * first + cos * second], axis=-1)
