"""Softmax attention in which the values of the first tokens count less [LRGD eqs. 17-18].

Values of instruction tokens times 1 - alpha are an L2 term in the one step of gradient descent that a layer is
(`lab.dual`): the model from which the step starts is shrunk, the step itself is not.
"""

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.softmax import Softmax


@struct.dataclass
class ShrunkValues:
    """alpha: by which they are shrunk, traced. count: of the first tokens. name: as `Softmax` has one."""

    alpha: jax.Array
    count: int = struct.field(pytree_node=False)
    name: str = struct.field(pytree_node=False, default="shrunk values")

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """(T, C)."""
        kept_S = jnp.where(jnp.arange(len(v_SxC)) < self.count, 1 - self.alpha, 1.0)
        return Softmax()(q_TxA, k_SxA, kept_S[:, None] * v_SxC, mask_TxS, bias_TxS)
