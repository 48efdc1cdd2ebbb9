"""The ways in which the order of tokens enters attention. No way knows what a token stands for."""

import jax
import jax.numpy as jnp
from flax import nnx


class Positions(nnx.Module):
    """The base of all ways in which positions enter: a way overrides one of these methods, which change nothing.

    In itself it is no positions: attention depends on the order of examples by the causal mask alone.

    length: the number of positions. width: D, of a token.
    """

    def __init__(self, length: int, width: int, key: jax.Array):
        self.length = length

    def embed(self, tokens_TxD: jax.Array, positions_T: jax.Array) -> jax.Array:
        """Return the tokens before the first layer, (T, D)."""
        return tokens_TxD

    def rotate(self, vectors_HxTxA: jax.Array, positions_T: jax.Array) -> jax.Array:
        """Return the queries or keys of a layer with their positions in them, (H, T, A)."""
        return vectors_HxTxA

    @staticmethod
    def bias(num_heads: int, positions_T: jax.Array, positions_S: jax.Array) -> jax.Array | None:
        """Return the bias that is added to the scores in every layer, (H, T, S), or None for no bias."""
        return None


SCALE = 0.02  # initial standard deviation of the vectors, small compared with tokens of unit variance


class Learned(Positions):
    """Learned absolute positions add one of `length` trained vectors to the token before the first layer."""

    def __init__(self, length: int, width: int, key: jax.Array):
        super().__init__(length, width, key)
        self.table_LxD = nnx.Param(SCALE * jax.random.normal(key, (length, width)))

    def embed(self, tokens_TxD: jax.Array, positions_T: jax.Array) -> jax.Array:
        return tokens_TxD + self.table_LxD[...][positions_T]


class Alibi(Positions):
    """ALiBi (Press et al. 2022, "Train short, test long"): scores fall linearly with the distance of the two positions.

    Head h of H has the slope 2^(-8 h / H), h = 1 .. H.
    """

    @staticmethod
    def bias(num_heads: int, positions_T: jax.Array, positions_S: jax.Array) -> jax.Array:
        slopes_H = 2.0 ** (-8.0 * jnp.arange(1, num_heads + 1) / num_heads)
        distance_TxS = jnp.abs(positions_T[:, None] - positions_S[None])
        return -slopes_H[:, None, None] * distance_TxS[None]


BASE = 10_000.0


class Rope(Positions):
    """Rotary positions (Su et al. 2021, "RoFormer") rotate queries and keys by angles that grow with the position.

    Coordinates a and a + A/2 of a head form a plane, which is rotated by the angle position * BASE^(-2a/A). Norms stay
    the same, and a score depends on the positions only through their difference.
    """

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
