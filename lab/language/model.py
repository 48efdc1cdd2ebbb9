"""The forward pass of a pretrained language model, for every family of `lab.language.families`.

    x = embedding of the words (+ learned positions),
    x <- x + W_O attention(norm(x)),  x <- x + MLP(norm(x))  in each block,
    log-probabilities of the next word = log softmax(W_U norm(x)),

with the variations that `Arch` names. Functions take one sequence of T tokens, and callers vmap. In front of a block's
own keys may be a history of keys and values, which is then not copied for each sequence of a batch. Layers are stacked
and scanned. Norms, angles, scores, softmax and logits are computed in float32 at least, also where weights are
bfloat16; keys are kept as attention compares them (normalised, turned), and queries hold the factor of the scores.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct

from lab.language import arch as architecture
from lab.language.attention import attend, causal_outputs, turned
from lab.learners.decoder_block import KeyValues
from lab.learners.decoder_block import Seen as PlainSeen

ACTIVATIONS = {
    "relu": jax.nn.relu,
    "gelu": functools.partial(jax.nn.gelu, approximate=False),
    "gelu_new": jax.nn.gelu,
    "gelu_fast": jax.nn.gelu,
    "gelu_pytorch_tanh": jax.nn.gelu,
    "silu": jax.nn.silu,
    "swish": jax.nn.silu,
}
TRACED = ("outputs", "scores", "queries", "keys", "values", "inputs", "attended")
Params = dict[str, Any]
"""Arrays by name; those below "layers" have an axis of layers in front. Matrices are (in, out)."""


@struct.dataclass
class Seen(PlainSeen):
    """The decoder's `Seen`; where layers see differently, `masks` (J, T, S) are the masks that there are, the first of
    which is `mask`, and `layers` (L,) is the number of each layer's mask. Else both are None. `in_order` says that no
    token sees one that is behind it, so that long texts are read faster."""

    masks: jax.Array | None = None
    layers: jax.Array | None = None
    in_order: bool = struct.field(pytree_node=False, default=False)

    def mask_of(self, layer: jax.Array | None) -> jax.Array:
        """Return the mask (T, S) of a layer, given its entry of `layers`; of several, with their axes in front."""
        return self.mask if self.masks is None else self.masks[layer]


@struct.dataclass
class History:
    """Keys and values (L, G, S, A) of tokens that are in front of others; slots from `length` on are padding."""

    keys: jax.Array
    values: jax.Array
    length: jax.Array


@struct.dataclass
class LanguageModel:
    """A language model: a pytree whose leaves are `params`.

    remat: whether derivatives compute the arrays of a layer again instead of keeping them.
    """

    arch: architecture.Arch = struct.field(pytree_node=False)
    params: Params
    remat: bool = struct.field(pytree_node=False, default=False)

    def logits(self, tokens_T: jax.Array, history: History | None = None) -> jax.Array:
        """Return the logits (T, V) of the word behind each token of a sequence, which the history is in front of."""
        visibility = self.visibility(len(tokens_T), history)
        past = None if history is None else (history.keys, history.values)
        last_TxD = self.forward(self.embed(tokens_T, visibility.positions), visibility, past, ())["last"]
        return self.unembed(last_TxD)

    def visibility(self, count: int, history: History | None = None, start: jax.Array | int | None = None) -> Seen:
        """Return how `count` tokens see one another and the history: in their order, and all of it.

        Args:
            start: position of the first token; None for the one behind the history. A window counts tokens that are in
                front of one another, whatever their positions.
        """
        slots_S, length = (0, 0) if history is None else (history.keys.shape[2], history.length)
        own_T, past_S = jnp.arange(count), jnp.arange(slots_S)
        positions_T = own_T + (length if start is None else start)
        mask = jnp.concatenate([_rows(past_S < length, count), own_T[:, None] >= own_T[None]], axis=1)
        masks = layers = bias = None
        if any(self.arch.local):
            distance = (own_T + length)[:, None] - jnp.concatenate([past_S, own_T + length])[None]
            masks = jnp.stack([mask, mask & (distance < self.arch.window)])
            layers = jnp.asarray(self.arch.local, int)
        if self.arch.slopes:
            places_S = jnp.concatenate([past_S, positions_T])
            distance = places_S[None] - positions_T[:, None]
            bias = jnp.asarray(self.arch.slopes)[:, None, None] * distance[None]
        return Seen(mask, positions_T, bias, masks, layers, in_order=True)

    def embed(self, tokens_T: jax.Array, positions_T: jax.Array) -> jax.Array:
        """Return the tokens before the first layer, (T, D)."""
        params, offset = self.params, self.arch.position_offset
        x_TxD = params["embed"][tokens_T]
        if "project_in" in params:
            x_TxD = x_TxD @ params["project_in"]
        if offset is not None:
            x_TxD = x_TxD + params["positions"][positions_T + offset]
        if self.arch.norm_of_embeddings:
            x_TxD = self._norm(params, "embed_norm", x_TxD)
        return x_TxD

    def forward(
        self,
        x_TxD: jax.Array,
        visibility: Seen,
        history: KeyValues | None = None,
        names: tuple[str, ...] = TRACED,
        token: jax.Array | int | None = None,
    ) -> dict[str, jax.Array]:
        """Return arrays of all layers, with an axis of layers in front, and `last` (T, D), the tokens behind the last.

        Args:
            history: keys and values of other tokens, (L, G, S, A) each, which the mask of `visibility` has in front.
            names: of the arrays to be kept: `outputs` of a layer, `inputs` of its attention and what it gives,
                `attended`, (T, D); `queries` (H, T, A), `keys` and `values` (G, T, A), without the history's; `scores`
                (H, T, S), those of the history first, without which long texts are read faster.
            token: the place of the one token whose arrays are kept, without the axis T; None: those of all tokens.
        """
        arch, dtype = self.arch, _float(x_TxD.dtype)
        scan = self.params["layers"], jnp.asarray(arch.scales, dtype), visibility.layers, history

        def layer(x_TxD, of_layer):
            weights, scale, number, past = of_layer
            result = self._block(x_TxD, visibility, weights, scale, number, past, "scores" in names)
            arrays = {name: result[name] for name in names}
            return result["outputs"], arrays if token is None else _at(arrays, token)

        last_TxD, arrays = jax.lax.scan(jax.checkpoint(layer) if self.remat else layer, x_TxD, scan)
        return arrays | {"last": last_TxD}

    def unembed(self, x_TxD: jax.Array) -> jax.Array:
        """Return the logits (T, V) of tokens behind the last layer."""
        params = self.params
        if self.arch.norm_at_end:
            x_TxD = self._norm(params, "norm", x_TxD)
        if "project_out" in params:
            x_TxD = x_TxD @ params["project_out"]
        head_VxE = params["embed" if self.arch.tied else "head"]
        logits = jnp.einsum("te,ve->tv", x_TxD, head_VxE, preferred_element_type=_float(x_TxD.dtype))
        return logits + params["head_bias"][None] if "head_bias" in params else logits

    def _block(
        self, x_TxD, visibility: Seen, weights: Params, scale, number, past: KeyValues | None, keeps_scores: bool
    ) -> dict[str, jax.Array]:
        arch = self.arch
        inputs_TxD = x_TxD if arch.norm_after else self._norm(weights, "attention_norm", x_TxD)
        q, k, v = (_affine(weights, name, inputs_TxD) for name in ("q", "k", "v"))
        q, k, v = (each.reshape(len(each), -1, arch.head_width).swapaxes(0, 1) for each in (q, k, v))
        if arch.norm_of_heads:
            q, k = self._norm(weights, "q_norm", q), self._norm(weights, "k_norm", k)
        if arch.frequencies:
            q, k = (turned(each, visibility.positions, arch.frequencies, arch.neighbours) for each in (q, k))
        q_HxTxA = q.astype(_float(q.dtype)) * scale
        of_heads = q_HxTxA, k, v, visibility.mask_of(number), visibility.bias, past
        is_whole = keeps_scores or not visibility.in_order
        out_HxTxA, scores = attend(*of_heads) if is_whole else (causal_outputs(*of_heads), None)
        attended_TxD = _affine(weights, "o", out_HxTxA.swapaxes(0, 1).reshape(len(x_TxD), -1).astype(x_TxD.dtype))
        if arch.parallel:
            outputs = inputs_TxD if arch.one_norm else self._norm(weights, "mlp_norm", x_TxD)
            outputs = x_TxD + attended_TxD + self._mlp(weights, outputs)
        elif arch.norm_after:
            x_TxD = self._norm(weights, "attention_norm", x_TxD + attended_TxD)
            outputs = self._norm(weights, "mlp_norm", x_TxD + self._mlp(weights, x_TxD))
        else:
            x_TxD = x_TxD + attended_TxD
            outputs = x_TxD + self._mlp(weights, self._norm(weights, "mlp_norm", x_TxD))
        values = outputs, scores, q_HxTxA, k, v, inputs_TxD, attended_TxD
        return {name: each for name, each in zip(TRACED, values, strict=True) if each is not None}

    def _mlp(self, weights: Params, x_TxD: jax.Array) -> jax.Array:
        activation = ACTIVATIONS[self.arch.activation]
        hidden = _affine(weights, "up", x_TxD)
        hidden = activation(_affine(weights, "gate", x_TxD)) * hidden if self.arch.gated else activation(hidden)
        return _affine(weights, "down", hidden)

    def _norm(self, weights: Params, name: str, x: jax.Array) -> jax.Array:
        exact = x.astype(_float(x.dtype))
        if not self.arch.rms:
            exact = exact - jnp.mean(exact, axis=-1, keepdims=True)
        exact = exact * jax.lax.rsqrt(jnp.mean(exact**2, axis=-1, keepdims=True) + self.arch.epsilon)
        exact = exact * jnp.expand_dims(weights[name], range(x.ndim - 1))
        if not self.arch.rms:
            exact = exact + jnp.expand_dims(weights[f"{name}_bias"], range(x.ndim - 1))
        return exact.astype(x.dtype)


def _affine(weights: Params, name: str, x_TxD: jax.Array) -> jax.Array:
    """Return x W, with its bias if there is one, summed in float32 at least: so bfloat16 is fast on processors too.

    Where `lab.language.lora` has put factors A and B beside W, it is x W + (x A) B.
    """
    product = jnp.matmul(x_TxD, weights[name], preferred_element_type=_float(x_TxD.dtype))
    if f"{name}_a" in weights:
        low_TxR = jnp.matmul(x_TxD, weights[f"{name}_a"].astype(x_TxD.dtype), preferred_element_type=product.dtype)
        product = product + low_TxR @ weights[f"{name}_b"].astype(product.dtype)
    product = product + weights[f"{name}_bias"][None] if f"{name}_bias" in weights else product
    return product.astype(x_TxD.dtype)


def _float(dtype: Any) -> Any:
    """Return the type of the arithmetic that must not be rounded to 8 bits: float32, or float64 if that is given."""
    return jnp.promote_types(dtype, jnp.float32)


def _at(arrays: dict[str, jax.Array], token: jax.Array | int) -> dict[str, jax.Array]:
    """Return one token's part of arrays whose last axis but one is that of the tokens."""
    take = jax.lax.dynamic_index_in_dim
    return {name: take(each, token, axis=each.ndim - 2, keepdims=False) for name, each in arrays.items()}


def _rows(mask_S: jax.Array, count: int) -> jax.Array:
    return jnp.broadcast_to(mask_S[None], (count, len(mask_S)))
