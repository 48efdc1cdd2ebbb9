"""No positions: attention does not depend on the order of examples, except by the causal mask."""

import jax
from flax import nnx


class Positions(nnx.Module):
    """The base of all ways in which positions enter: a way overrides one of these methods, which change nothing.

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
