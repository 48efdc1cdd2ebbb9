"""Softmax attention in which the values of the first tokens count less [LRGD eqs. 17-18].

A layer is one step of gradient descent on a dual model (`lab.dual`). To multiply the values of instruction tokens by
1 - alpha adds an L2 term to it: the model from which the step starts is shrunk, the step itself is not.
"""

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.softmax import Softmax


@struct.dataclass
class ShrunkValues:
    """Softmax attention with the values of the first `count` tokens times 1 - alpha. name: as in `Softmax`."""

    alpha: jax.Array  # traced
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
        """Return out (T, C), as `Softmax` does."""
        factors_S = jnp.where(jnp.arange(len(v_SxC)) < self.count, 1 - self.alpha, 1.0)
        return Softmax()(q_TxA, k_SxA, factors_S[:, None] * v_SxC, mask_TxS, bias_TxS)
