"""Learned absolute positions add a trained vector per position to the token before the first layer."""

import jax
from flax import nnx

from lab.attention.positions.none import Positions

SCALE = 0.02  # initial standard deviation of the vectors, small compared with tokens of unit variance


class Learned(Positions):
    """A table of `length` trained vectors."""

    def __init__(self, length: int, width: int, key: jax.Array):
        super().__init__(length, width, key)
        self.table_LxD = nnx.Param(SCALE * jax.random.normal(key, (length, width)))

    def embed(self, tokens_TxD: jax.Array, positions_T: jax.Array) -> jax.Array:
        return tokens_TxD + self.table_LxD[...][positions_T]
