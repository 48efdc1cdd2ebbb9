"""Softmax attention is out_t = sum_s v_s exp(q_t . k_s + b_ts) / sum_s exp(q_t . k_s + b_ts).

Attention is a function (q, k, v, mask, bias) -> out of one head. Scores are q . k without a factor: the caller scales
them, half in the queries and half in the keys, so that a feature map of the kernel exp(q . k) can replace the softmax.
"""

import jax
from flax import struct


@struct.dataclass
class Softmax:
    """Softmax attention; each token must see at least itself, as a row of the mask without True would give NaN.

    name: JAX (0.10.2) compares pytrees by their fields and not by their types. So classes with the same fields need a
    static field that differs; otherwise the compiled program of another class may run.
    """

    name: str = struct.field(pytree_node=False, default="softmax")

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """Return out (T, C); where the mask is False, token t does not see token s, and the bias is added to scores."""
        scores_TxS = q_TxA @ k_SxA.T
        if bias_TxS is not None:
            scores_TxS = scores_TxS + bias_TxS
        return jax.nn.softmax(scores_TxS, axis=-1, where=mask_TxS) @ v_SxC
