"""A stack of linear attention layers, computed fast: the same read-outs as the literal forward pass.

A head depends on its weights through two products alone, the QK circuit W_Q^T W_K, which gives the scores, and the OV
circuit P W_V, which gives what is written ([Elhage et al. 2021], A Mathematical Framework for Transformer Circuits). Of
the last layer only the query's y-slot is read, so that is all that is computed there.

For contexts that are longer than tokens are wide the stack is a recursion on one D x D matrix. In row form a layer adds
e M to every token e, M = sum_h A_h G B_h^T with the QK circuits A, the OV circuits B and the context's Gram matrix
G = E^T E: the same linear map for all tokens, so G becomes (I + M)^T G (I + M) and the tokens themselves are needed no
more. Documents d add A_d G_d B_d^T with their own Gram matrix, which no layer changes.
"""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.linear import linear_attention


@struct.dataclass
class Circuits:
    """A layer as a function. H heads, D token width, W document width."""

    qk: jax.Array  # W_Q^T W_K, (H, D, D)
    ov: jax.Array  # P W_V, (H, D, D)
    document_qk: jax.Array  # W_Q^T W_DK, (H, D, W)
    document_ov: jax.Array  # P W_DV, (H, D, W)


Attend = Callable[..., jax.Array]  # (receivers, tokens, documents, slots) -> what a layer adds, as `attend`


def fast_readouts(
    blocks: Sequence[Circuits],
    num_layers: int,
    tokens_NxD: jax.Array,
    queries_QxD: jax.Array,
    documents_KxW: jax.Array | None,
    y_slot: slice,
    clip: float | None = None,
) -> jax.Array:
    """Minus the queries' y-slots after each layer.

    Args:
        blocks: the distinct blocks, which are applied in turn until there are `num_layers` layers.
        documents_KxW: rows that every layer appends to its keys and values; None for none.
        clip: bound on the entries of every token after each layer; None for none.

    Returns:
        (L, Q, Y).
    """
    heads = len(blocks[0].qk)
    if clip is None and recursion_is_cheaper(num_layers, *tokens_NxD.shape, heads):
        layers = [*blocks] * (num_layers // len(blocks))
        return _by_recursion(layers, tokens_NxD, queries_QxD, documents_KxW, y_slot)
    width = _padded_width(tokens_NxD.shape[1], num_layers)
    layers = [_padded_circuits(block, width) for block in blocks] * (num_layers // len(blocks))
    tokens_NxD, queries_QxD = (_padded(tokens, width, -1) for tokens in (tokens_NxD, queries_QxD))
    layers = [functools.partial(attend, layer) for layer in layers]
    return readouts_by_tokens(layers, tokens_NxD, queries_QxD, documents_KxW, y_slot, clip)


def readouts_by_tokens(
    layers: Sequence[Attend],
    tokens_NxD: jax.Array,
    queries_QxD: jax.Array,
    documents_KxW: jax.Array | None,
    y_slot: slice,
    clip: float | None = None,
) -> jax.Array:
    """As `fast_readouts`, of layers of any kind; each is given the tokens as they are after those before it."""

    def clipped(values):
        return values if clip is None else jnp.clip(values, -clip, clip)

    readouts = []
    for layer in layers[:-1]:
        changes = [layer(e, tokens_NxD, documents_KxW) for e in (tokens_NxD, queries_QxD)]
        tokens_NxD, queries_QxD = (
            clipped(e + change) for e, change in zip((tokens_NxD, queries_QxD), changes, strict=True)
        )
        readouts.append(-queries_QxD[:, y_slot])
    written_QxY = layers[-1](queries_QxD, tokens_NxD, documents_KxW, y_slot)
    return jnp.stack([*readouts, -clipped(queries_QxD[:, y_slot] + written_QxY)])


def attend(layer: Circuits, receivers_TxD, tokens_SxD, documents_KxW, slots: slice = slice(None)):
    """What a layer adds to the receivers' given slots: tokens and documents are its keys and values."""

    def head(layer: Circuits):
        attended = linear_attention(receivers_TxD @ layer.qk, tokens_SxD, tokens_SxD)
        written = attended @ layer.ov[slots].T
        if documents_KxW is None:
            return written
        attended = linear_attention(receivers_TxD @ layer.document_qk, documents_KxW, documents_KxW)
        return written + attended @ layer.document_ov[slots].T

    return jnp.sum(jax.vmap(head)(layer), axis=0)


def _by_recursion(layers, tokens_NxD, queries_QxD, documents_KxW, y_slot) -> jax.Array:
    gram_DxD, readouts = tokens_NxD.T @ tokens_NxD, []
    gram_WxW = None if documents_KxW is None else documents_KxW.T @ documents_KxW
    for layer in layers:
        map_DxD = _map(layer.qk, layer.ov, gram_DxD)
        if gram_WxW is not None:
            map_DxD += _map(layer.document_qk, layer.document_ov, gram_WxW)
        queries_QxD = queries_QxD + queries_QxD @ map_DxD
        readouts.append(-queries_QxD[:, y_slot])
        half = gram_DxD + gram_DxD @ map_DxD
        gram_DxD = half + map_DxD.T @ half  # (I + M)^T G (I + M); nothing reads that of the last layer
    return jnp.stack(readouts)


def _map(qk_HxDxD: jax.Array, ov_HxDxD: jax.Array, gram_DxD: jax.Array) -> jax.Array:
    """M (D, D). Also of documents: A_d and B_d (H, D, W), G_d (W, W)."""
    return jnp.einsum("hda,ab,hcb->dc", qk_HxDxD, gram_DxD, ov_HxDxD, optimize="optimal")


def recursion_is_cheaper(layers: int, context: int, width: int, heads: int) -> bool:
    """Multiplications of the recursion against those of a stack that carries its tokens from layer to layer; the last
    layer costs either way what its queries cost."""
    by_tokens = (layers - 1) * heads * context * (2 * width**2 + 2 * width * min(context, width))
    by_recursion = context * width**2 + (layers - 1) * (2 + 2 * heads) * width**3
    return by_recursion < by_tokens


def _padded_width(width: int, layers: int) -> int:
    """A width that XLA's CPU code for small products likes better than a token's own; what is added is zero.

    Several layers are products of small matrices, which of width 11 take twice as long as of 12. One layer is products
    of matrices with vectors: those of width 16 take 5 to 13% less than those of 11, but those of 40 more than of 33.
    """
    multiple = 4 if layers > 1 else 8 if width < 32 else 1
    return width + -width % multiple


def _padded(array: jax.Array, width: int, *axes: int) -> jax.Array:
    """With zeros at the end of the given axes, which are `width` long then."""
    widths = [(0, 0)] * array.ndim
    for axis in axes:
        widths[axis] = (0, width - array.shape[axis])
    return jnp.pad(array, widths)


def _padded_circuits(layer: Circuits, width: int) -> Circuits:
    return Circuits(
        qk=_padded(layer.qk, width, 1, 2),
        ov=_padded(layer.ov, width, 1, 2),
        document_qk=_padded(layer.document_qk, width, 1),
        document_ov=_padded(layer.document_ov, width, 1),
    )
