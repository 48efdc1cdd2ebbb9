"""No positions: attention over examples does not depend on their order, but for the causal mask."""

import jax
from flax import nnx


class Positions(nnx.Module):
    """What ways of telling positions have in common: each overrides the part by which it enters.

    length: how many positions there are. width: of a token.
    """

    def __init__(self, length: int, width: int, key: jax.Array):
        self.length = length

    def embed(self, tokens_TxD: jax.Array, positions_T: jax.Array) -> jax.Array:
        """The tokens before the first layer, (T, D)."""
        return tokens_TxD

    def rotate(self, vectors_HxTxA: jax.Array, positions_T: jax.Array) -> jax.Array:
        """Queries or keys in every layer, (H, T, A)."""
        return vectors_HxTxA

    @staticmethod
    def bias(num_heads: int, positions_T: jax.Array, positions_S: jax.Array) -> jax.Array | None:
        """What is added to the scores in every layer, (H, T, S), or None for nothing."""
        return None
