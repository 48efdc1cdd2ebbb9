"""TTT-linear, which takes the gradients of b tokens at the W before the first of them (Sun et al. 2024, arXiv
2407.04620): W_t = alpha_t W_{t-1} - beta_t (W_b k_t - v_t) k_t^T with W_b the W at the beginning of t's batch.

b = 1 without decays is the delta rule; b = N, from W_0 = 0, linear attention.
"""

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.fast_weights.chunks import read_and_write
from lab.attention.fast_weights.rule import Rule, Tokens

Remembered = tuple[jax.Array, jax.Array, jax.Array]  # W, the W of the batch's beginning, the number of tokens


@struct.dataclass
class MiniBatch(Rule):
    """The rule whose gradients are one batch old; its chunks are its batches of `size` tokens."""

    size: int = struct.field(pytree_node=False)

    def start(self, w_0_VxK: jax.Array) -> Remembered:
        return w_0_VxK, w_0_VxK, jnp.zeros((), int)

    def weights(self, state: Remembered) -> jax.Array:
        return state[0]

    def write(self, state: Remembered, token: Tokens) -> Remembered:
        w_VxK, begin_VxK, count = state
        begin_VxK = jnp.where(count % self.size == 0, w_VxK, begin_VxK)
        error_V = token.values - begin_VxK @ token.keys
        return token.decays * w_VxK + token.rates * error_V[:, None] * token.keys[None], begin_VxK, count + 1

    def chunk(self, state: Remembered, tokens: Tokens, queries_CxK: jax.Array) -> tuple[Remembered, jax.Array]:
        """Return the state after a batch, and the outputs (C, V).

        Raises:
            ValueError: the chunk is longer than a batch. (Only the last one of a sequence may be shorter.)
        """
        if len(queries_CxK) > self.size:
            raise ValueError(f"chunks of {len(queries_CxK)} tokens: a batch has {self.size}")
        w_VxK, _, count = state
        u_CxV = tokens.rates[:, None] * (tokens.values - tokens.keys @ w_VxK.T)
        last_VxK, outputs_CxV = read_and_write(w_VxK, tokens.decays, u_CxV, tokens.keys, queries_CxK)
        return (last_VxK, w_VxK, count + len(queries_CxK)), outputs_CxV
