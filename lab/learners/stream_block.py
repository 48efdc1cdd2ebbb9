"""One layer of a decoder of click streams: its weights, and how tokens and [SUM]s are updated from tokens.

Shape suffixes: M interactions, c tokens of each, D width, H heads, A width of a head.
"""

import functools

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners import initial
from lab.learners.stream_shape import StreamShape


class StreamBlock(nnx.Module):
    """The weights of one layer, which start with variance init_scale / fan-in."""

    def __init__(self, shape: StreamShape, key: jax.Array, init_scale: float | jax.Array):
        width, heads, head, hidden = shape.width, shape.num_heads, shape.head_width, shape.mlp_width
        keys = jax.random.split(key, 6)
        weights = functools.partial(initial.normal, init_scale=init_scale, fan_in=width)
        self.attention_norm, self.mlp_norm = norm(width), norm(width)
        self.w_q, self.w_k, self.w_v = (weights(each, width, heads, head) for each in keys[:3])
        self.w_o = weights(keys[3], heads, head, width)
        self.w_in, self.w_out = weights(keys[4], width, hidden), weights(keys[5], hidden, width, fan_in=hidden)

    def queries(self, x_McD: jax.Array) -> jax.Array:
        """Return queries (M, c, H, A), which hold half of the scale of the scores, as keys do."""
        return self._scale * jnp.einsum("mcd,dha->mcha", self.attention_norm(x_McD), self.w_q[...])

    def keys_and_values(self, x_McD: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return keys and values, (M, c, H, A) each."""
        inputs = self.attention_norm(x_McD)
        keys = self._scale * jnp.einsum("mcd,dha->mcha", inputs, self.w_k[...])
        return keys, jnp.einsum("mcd,dha->mcha", inputs, self.w_v[...])

    def after(self, x_McD: jax.Array, attended_McHA: jax.Array) -> jax.Array:
        """Return the tokens after the layer, (M, c, D)."""
        x_McD = x_McD + jnp.einsum("mcha,had->mcd", attended_McHA, self.w_o[...])
        return x_McD + jax.nn.gelu(self.mlp_norm(x_McD) @ self.w_in[...]) @ self.w_out[...]

    @property
    def _scale(self) -> float:
        return self.w_q.shape[-1] ** -0.25


def norm(width: int) -> nnx.RMSNorm:
    """Return a root-mean-square norm in JAX's default precision, as all other parameters."""
    return nnx.RMSNorm(width, param_dtype=jnp.result_type(float), rngs=nnx.Rngs(0))
