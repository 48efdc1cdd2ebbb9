"""Attention as one gradient step of a dual model [LRGD eqs. 8-11], in the ratio form of `lab.dual`.

Every token t has a model of its own. It starts from W_0, made of the instructions and of the token itself, and takes
one step on the loss of all other tokens that it sees. Its answer to q_t is the output of softmax attention.
"""

import jax
import jax.numpy as jnp
from flax import struct

from lab import dual


@struct.dataclass
class DualStep:
    """The answer of each token's dual model after one step; in exact arithmetic softmax attention.

    instructions: how many of the first tokens are the instructions.
    """

    instructions: int = struct.field(pytree_node=False)
    name: str = struct.field(pytree_node=False, default="dual_step")

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """Return out (T, C). Token t is key t: there is no history in front."""
        seen_TxS = jnp.ones((len(q_TxA), len(k_SxA)), bool) if mask_TxS is None else mask_TxS
        tokens_S, own_T = jnp.arange(len(k_SxA)), jnp.arange(len(q_TxA))
        start_TxS = (tokens_S[None] < self.instructions) | (tokens_S[None] == own_T[:, None])
        weights_TxS = jnp.ones_like(q_TxA, shape=seen_TxS.shape) if bias_TxS is None else jnp.exp(bias_TxS)

        def answer(q_A: jax.Array, start_S: jax.Array, demonstrations_S: jax.Array) -> jax.Array:
            return dual.attend(q_A[None], k_SxA, v_SxC, start_S, demonstrations_S)[0]

        return jax.vmap(answer)(q_TxA, weights_TxS * (seen_TxS & start_TxS), weights_TxS * (seen_TxS & ~start_TxS))
