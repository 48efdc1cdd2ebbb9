"""The delta rule with a diagonal preconditioner, W <- alpha W + beta (v - alpha W k) (P k)^T.

P is the inverse of the running mean of k_j^2 over the tokens so far, the present one included, plus a small constant;
without a decay, W - beta g(W) P with the gradient g of 1/2 |W k - v|^2 (Tumma et al. 2026, arXiv 2604.21100).
"""

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.fast_weights.delta import delta_chunk
from lab.attention.fast_weights.rule import Rule, Tokens

SMALL = 1e-6  # added to the mean square, which is 0 where a coordinate of all keys is

Remembered = tuple[jax.Array, jax.Array, jax.Array]  # W (V, K), the sums of k_j^2 (K,), the number of tokens ()


@struct.dataclass
class Preconditioned(Rule):
    """The delta rule whose steps are of equal size in all coordinates of keys."""

    name: str = struct.field(pytree_node=False, default="preconditioned", kw_only=True)  # see Rule

    def start(self, w_0_VxK: jax.Array) -> Remembered:
        return w_0_VxK, jnp.zeros_like(w_0_VxK[0]), jnp.zeros((), w_0_VxK.dtype)

    def weights(self, state: Remembered) -> jax.Array:
        return state[0]

    def write(self, state: Remembered, token: Tokens) -> Remembered:
        w_VxK, squares_K, count = state
        squares_K, count = squares_K + token.keys**2, count + 1
        w_VxK = token.decays * w_VxK
        error_V = token.values - w_VxK @ token.keys
        written_K = token.keys / (squares_K / count + SMALL)
        return w_VxK + token.rates * error_V[:, None] * written_K[None], squares_K, count

    def chunk(self, state: Remembered, tokens: Tokens, queries_CxK: jax.Array) -> tuple[Remembered, jax.Array]:
        w_VxK, squares_K, count = state
        squares_CxK = squares_K[None] + jnp.cumsum(tokens.keys**2, axis=0)
        count_C = count + 1 + jnp.arange(len(tokens.rates))
        written_CxK = tokens.keys / (squares_CxK / count_C[:, None] + SMALL)
        w_VxK, outputs_CxV = delta_chunk(w_VxK, tokens, written_CxK, queries_CxK)
        return (w_VxK, squares_CxK[-1], count_C[-1]), outputs_CxV
