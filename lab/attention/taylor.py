"""Attention between linear and softmax: in the place of exp(s), s = q . k, or of its normaliser are other functions.

Each is a function of one head, as `lab.attention.softmax` describes it. Without a bias the weights are functions of the
score; a bias is added to the score first.
"""

import abc
import math

import jax
import jax.numpy as jnp
from flax import struct


class OfScores:
    """Attention that is a function of the scores, with their bias."""

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """Return out (T, C)."""
        scores_TxS = q_TxA @ k_SxA.T if bias_TxS is None else q_TxA @ k_SxA.T + bias_TxS
        seen_TxS = jnp.ones_like(scores_TxS) if mask_TxS is None else mask_TxS.astype(scores_TxS.dtype)
        return self.weighted(jnp.where(seen_TxS > 0, scores_TxS, 0.0), seen_TxS, v_SxC, mask_TxS is not None)

    @abc.abstractmethod
    def weighted(self, scores_TxS: jax.Array, seen_TxS: jax.Array, v_SxC: jax.Array, has_mask: bool) -> jax.Array:
        """Return out (T, C) from the scores, and 1 where token t sees token s, else 0."""


@struct.dataclass
class MeanLinear(OfScores):
    """Linear attention divided by the number of tokens that are seen: out_t = sum_s v_s (k_s . q_t) / n_t."""

    name: str = struct.field(pytree_node=False, default="mean_linear")

    def weighted(self, scores_TxS: jax.Array, seen_TxS: jax.Array, v_SxC: jax.Array, has_mask: bool) -> jax.Array:
        return (seen_TxS * scores_TxS) @ v_SxC / jnp.sum(seen_TxS, axis=1, keepdims=True)


@struct.dataclass
class Taylor(OfScores):
    """Averages with weights 1 + s + s^2 / 2 + ... + s^p / p!, which are not positive where p is odd."""

    degree: int = struct.field(pytree_node=False)
    name: str = struct.field(pytree_node=False, default="taylor")

    def weighted(self, scores_TxS: jax.Array, seen_TxS: jax.Array, v_SxC: jax.Array, has_mask: bool) -> jax.Array:
        weights_TxS = jnp.polyval(jnp.array([1 / math.factorial(i) for i in range(self.degree, -1, -1)]), scores_TxS)
        weights_TxS = seen_TxS * weights_TxS
        return weights_TxS @ v_SxC / jnp.sum(weights_TxS, axis=1, keepdims=True)


@struct.dataclass
class StartNormaliser(OfScores):
    """Softmax's weights with the normaliser of the prompt without demonstrations: that of the instructions and itself.

    instructions: how many of the first tokens are the instructions.
    """

    instructions: int = struct.field(pytree_node=False)
    name: str = struct.field(pytree_node=False, default="start_normaliser")

    def weighted(self, scores_TxS: jax.Array, seen_TxS: jax.Array, v_SxC: jax.Array, has_mask: bool) -> jax.Array:
        is_instruction_S = jnp.arange(len(v_SxC)) < self.instructions
        up_to_self_TxS = seen_TxS if has_mask else jnp.tril(seen_TxS)  # without a mask, token t is key t
        is_self_TxS = jnp.cumsum(up_to_self_TxS[:, ::-1], axis=1)[:, ::-1] == 1  # the last token that it sees
        start_TxS = seen_TxS * (is_instruction_S[None] | is_self_TxS)
        largest_Tx1 = jnp.max(jnp.where(start_TxS > 0, scores_TxS, -jnp.inf), axis=1, keepdims=True)
        weights_TxS = seen_TxS * jnp.exp(scores_TxS - largest_Tx1)
        return weights_TxS @ v_SxC / jnp.sum(start_TxS * weights_TxS, axis=1, keepdims=True)
