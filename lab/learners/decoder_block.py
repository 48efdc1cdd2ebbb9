"""One block of a decoder: attention and an MLP over the tokens of a sequence, behind layer norms.

Scores are q . k, with a factor A^(-1/4) in each of q and k; heads of one group share keys and values (Ainslie et al.
2023). A block may be given a history: keys and values of other tokens, which are put in front of its own.
"""

import functools
from collections.abc import Callable
from typing import Protocol

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.linear import Linear
from lab.attention.positional import Positions
from lab.attention.softmax import Softmax
from lab.config.choices import AttentionKind
from lab.learners import initial
from lab.learners.decoder_shape import Shape
from lab.learners.layer_norm import LayerNorm


class Attention(Protocol):
    """The attention of one head, as `lab.attention.softmax` describes it."""

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array: ...


ATTENTION: dict[AttentionKind, Callable[[], Attention]] = {
    AttentionKind.softmax: Softmax,
    AttentionKind.linear: Linear,
}

KeyValues = tuple[jax.Array, jax.Array]  # keys and values of one layer, (G, S, A) each, or of all layers, (L, G, S, A)


@struct.dataclass
class Seen:
    """The mask, positions and bias by which the tokens of a sequence attend to one another, the same in all blocks.

    mask: (T, S) bool, True where token t sees token s. S = T, or more with a history, whose tokens come first.
    positions: (T,). bias: (H, T, S), added to the scores, or None.
    """

    mask: jax.Array
    positions: jax.Array
    bias: jax.Array | None

    def of(self, rows: slice) -> "Seen":
        """Return what some of the tokens see."""
        return Seen(self.mask[rows], self.positions[rows], None if self.bias is None else self.bias[:, rows])

    def among(self, rows: slice) -> "Seen":
        """Return what some of the tokens see of one another."""
        bias = None if self.bias is None else self.bias[:, rows, rows]
        return Seen(self.mask[rows, rows], self.positions[rows], bias)


class Block(nnx.Module):
    """One block: x + W_O attention(norm(x)), then x + MLP(norm(x)). Weights have variance init_scale / fan-in."""

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array):
        width, head, heads, groups = shape.width, shape.head_width, shape.num_heads, shape.num_groups
        keys = jax.random.split(key, 6)
        weights = functools.partial(initial.normal, init_scale=init_scale, fan_in=width)
        self.attention_norm, self.mlp_norm = norm(width), norm(width)
        self.w_q, self.w_k = weights(keys[0], heads, head, width), weights(keys[1], groups, head, width)
        self.w_v, self.w_o = weights(keys[2], groups, head, width), weights(keys[3], heads, width, head)
        self.w_in = weights(keys[4], shape.mlp_width, width)
        self.w_out = weights(keys[5], width, shape.mlp_width, fan_in=shape.mlp_width)
        self.b_in, self.b_out = nnx.Param(jnp.zeros(shape.mlp_width)), nnx.Param(jnp.zeros(width))
        self.attention = nnx.data(ATTENTION[shape.attention]())

    def __call__(
        self, x_TxD: jax.Array, visibility: Seen, positions: Positions, history: KeyValues | None = None
    ) -> dict[str, jax.Array]:
        """Return the arrays that `Trace` holds of one layer, by their names there.

        `outputs` are the tokens after the block. `keys` and `values` are those of the tokens, without the history.
        """
        inputs_TxD = self.attention_norm(x_TxD)
        q_HxTxA, k_GxTxA, v_GxTxA = self.projected(inputs_TxD, visibility, positions)
        attended = [k_GxTxA, v_GxTxA]
        if history is not None:
            attended = [jnp.concatenate(each, axis=1) for each in zip(history, attended, strict=True)]
        k_HxSxA, v_HxSxA = (self.by_head(each, len(q_HxTxA)) for each in attended)
        attended_TxD = self.attended(q_HxTxA, k_HxSxA, v_HxSxA, visibility)
        x_TxD = x_TxD + attended_TxD
        scores_HxTxS = q_HxTxA @ k_HxSxA.mT
        if visibility.bias is not None:
            scores_HxTxS = scores_HxTxS + visibility.bias
        return {
            "outputs": x_TxD + self.mlp(x_TxD),
            "scores": scores_HxTxS,
            "keys": k_GxTxA,
            "values": v_GxTxA,
            "inputs": inputs_TxD,
            "attended": attended_TxD,
        }

    def outputs(self, x_TxD: jax.Array, visibility: Seen, positions: Positions, rows: slice) -> jax.Array:
        """Return the tokens of some rows after the block, (R, D): those of the others take no work but as keys."""
        q_HxTxA, k_GxTxA, v_GxTxA = self.projected(self.attention_norm(x_TxD), visibility, positions)
        k_HxTxA, v_HxTxA = (self.by_head(each, len(q_HxTxA)) for each in (k_GxTxA, v_GxTxA))
        x_RxD = x_TxD[rows] + self.attended(q_HxTxA[:, rows], k_HxTxA, v_HxTxA, visibility.of(rows))
        return x_RxD + self.mlp(x_RxD)

    def attended(self, q_HxTxA: jax.Array, k_HxSxA: jax.Array, v_HxSxA: jax.Array, visibility: Seen) -> jax.Array:
        """Return what attention adds to the tokens of the queries, (T, D)."""
        bias_axis = None if visibility.bias is None else 0
        out_HxTxA = jax.vmap(_attend, in_axes=(0, 0, 0, 0, None, bias_axis))(
            self.attention, q_HxTxA, k_HxSxA, v_HxSxA, visibility.mask, visibility.bias
        )
        return jnp.einsum("hta,hda->td", out_HxTxA, self.w_o[...])

    def projected(
        self, inputs_TxD: jax.Array, visibility: Seen, positions: Positions
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return queries (H, T, A), keys and values (G, T, A); queries and keys hold the scale of the scores."""
        q, k, v = (jnp.einsum("td,had->hta", inputs_TxD, w[...]) for w in (self.w_q, self.w_k, self.w_v))
        scale, places_T = q.shape[-1] ** -0.25, visibility.positions
        return positions.rotate(scale * q, places_T), positions.rotate(scale * k, places_T), v

    def by_head(self, each_GxSxA: jax.Array, num_heads: int) -> jax.Array:
        """Return keys or values of groups (G, S, A) repeated for every head of a group, (H, S, A)."""
        return jnp.repeat(each_GxSxA, num_heads // len(each_GxSxA), axis=0)

    def mlp(self, x_TxD: jax.Array) -> jax.Array:
        """Return what the MLP adds to each token, (T, D)."""
        hidden = jax.nn.gelu(self.mlp_norm(x_TxD) @ self.w_in[...].T + self.b_in[...][None])
        return hidden @ self.w_out[...].T + self.b_out[...][None]


def norm(width: int) -> LayerNorm:
    """Return a layer norm with scale and bias, in JAX's default precision, as all other parameters."""
    return LayerNorm(width, param_dtype=jnp.result_type(float), rngs=nnx.Rngs(0))


def _attend(attention: Attention, *arguments) -> jax.Array:
    return attention(*arguments)
