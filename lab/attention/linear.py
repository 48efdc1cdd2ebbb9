"""Linear attention is out_t = sum_s v_s (k_s . q_t), without softmax or scale."""

import jax
import jax.numpy as jnp
from flax import struct


def linear_attention(
    q_TxA: jax.Array, k_SxA: jax.Array, v_SxC: jax.Array, mask_TxS: jax.Array | None = None
) -> jax.Array:
    """Return out (T, C), by the order of products that takes fewer multiplications.

    Scores first take T S (A + C) of them. The products of keys and values first take (S + T) A C, which is linear in
    the length of the context, but possible only without a mask. Where the mask is False, token t does not see token s.
    """
    (queries, width), (keys, out) = q_TxA.shape, v_SxC.shape
    if mask_TxS is not None:
        return jnp.where(mask_TxS, q_TxA @ k_SxA.T, 0.0) @ v_SxC
    if queries * keys * (width + out) <= (keys + queries) * width * out:
        return (q_TxA @ k_SxA.T) @ v_SxC
    return q_TxA @ (k_SxA.T @ v_SxC)


@struct.dataclass
class Linear:
    """Linear attention in the form that blocks take; it has no exponent, so there can be no bias.

    name: as in `lab.attention.softmax.Softmax`.
    """

    name: str = struct.field(pytree_node=False, default="linear")

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """Return `linear_attention`, (T, C).

        Raises:
            ValueError: there is a bias.
        """
        if bias_TxS is not None:
            raise ValueError("linear attention has no bias: choose positions other than alibi")
        return linear_attention(q_TxA, k_SxA, v_SxC, mask_TxS)
