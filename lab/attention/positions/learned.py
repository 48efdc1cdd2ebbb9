"""Learned absolute positions: a trained vector per position is added to the token before the first layer."""

import jax
from flax import nnx

from lab.attention.positions.none import Positions

SCALE = 0.02  # standard deviation of the vectors at first, small beside tokens of unit variance


class Learned(Positions):
    def __init__(self, length: int, width: int, key: jax.Array):
        super().__init__(length, width, key)
        self.table_LxD = nnx.Param(SCALE * jax.random.normal(key, (length, width)))

    def embed(self, tokens_TxD: jax.Array, positions_T: jax.Array) -> jax.Array:
        return tokens_TxD + self.table_LxD[...][positions_T]
