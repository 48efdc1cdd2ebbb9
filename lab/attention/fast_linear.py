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

from lab.attention.products import into_lanes, multiplied_in_lanes, out_of_lanes, right, t_times, times, times_t


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
    width = tokens_NxD.shape[1]
    if clip is not None or not recursion_is_cheaper(num_layers, *tokens_NxD.shape, len(blocks[0].qk)):
        width = _padded_width(width, num_layers)
        blocks = [_padded_circuits(block, width) for block in blocks]
    tokens_NxD, queries_QxD = (_padded(tokens, width, -1) for tokens in (tokens_NxD, queries_QxD))
    return _readouts(blocks, num_layers, tokens_NxD, queries_QxD, documents_KxW, y_slot, clip)


def fast_answers(
    blocks: Sequence[Circuits],
    num_layers: int,
    tokens_BxNxD: jax.Array,
    queries_BxQxD: jax.Array,
    documents_BxKxW: jax.Array | None,
    y_slot: slice,
    clip: float | None = None,
) -> jax.Array:
    """As the last of `fast_readouts`, of many prompts: (B, Q, Y). Where tokens are few and small, many at once."""
    prompts = tokens_BxNxD, queries_BxQxD, documents_BxKxW
    if not multiplied_in_lanes(*(size for array in jax.tree.leaves(prompts) for size in array.shape[1:])):
        return jax.vmap(lambda *prompt: fast_readouts(blocks, num_layers, *prompt, y_slot, clip)[-1])(*prompts)
    prompts = jax.tree.map(into_lanes, prompts)
    answers_GxQxYxL = jax.vmap(lambda *prompt: _readouts(blocks, num_layers, *prompt, y_slot, clip)[-1])(*prompts)
    return out_of_lanes(answers_GxQxYxL, len(tokens_BxNxD))


def _readouts(blocks, num_layers, tokens_NxD, queries_QxD, documents_KxW, y_slot, clip) -> jax.Array:
    """(L, Q, Y). Of arrays with an axis of lanes behind the others, (L, Q, Y, lanes)."""
    layers = [*blocks] * (num_layers // len(blocks))
    if clip is None and recursion_is_cheaper(num_layers, *tokens_NxD.shape[:2], len(blocks[0].qk)):
        return _by_recursion(layers, tokens_NxD, queries_QxD, documents_KxW, y_slot)
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
    written = _written(layer.qk, layer.ov[:, slots], receivers_TxD, tokens_SxD)
    if documents_KxW is None:
        return written
    return written + _written(layer.document_qk, layer.document_ov[:, slots], receivers_TxD, documents_KxW)


def _written(qk_HxDxW: jax.Array, ov_HxCxW: jax.Array, receivers_TxD: jax.Array, sources_SxW: jax.Array) -> jax.Array:
    """(T, C): heads are rows of one product, associated whichever way multiplies less."""
    (heads, _, width), rows, sources = qk_HxDxW.shape, len(receivers_TxD), len(sources_SxW)
    lanes = receivers_TxD.shape[2:]
    q = right(receivers_TxD, _side_by_side(qk_HxDxW)).reshape(rows * heads, width, *lanes)
    if 2 * rows * heads * sources <= (sources + rows * heads) * width:
        attended = times(times_t(q, sources_SxW), sources_SxW)
    else:
        attended = times(q, t_times(sources_SxW, sources_SxW))
    return right(attended.reshape(rows, heads * width, *lanes), _stacked(ov_HxCxW.mT))


def _by_recursion(layers, tokens_NxD, queries_QxD, documents_KxW, y_slot) -> jax.Array:
    gram_DxD, readouts = t_times(tokens_NxD, tokens_NxD), []
    gram_WxW = None if documents_KxW is None else t_times(documents_KxW, documents_KxW)
    for layer in layers:
        map_DxD = _map(layer.qk, layer.ov, gram_DxD)
        if gram_WxW is not None:
            map_DxD += _map(layer.document_qk, layer.document_ov, gram_WxW)
        queries_QxD = queries_QxD + times(queries_QxD, map_DxD)
        readouts.append(-queries_QxD[:, y_slot])
        half = gram_DxD + times(gram_DxD, map_DxD)
        gram_DxD = half + t_times(map_DxD, half)  # (I + M)^T G (I + M); nothing reads that of the last layer
    return jnp.stack(readouts)


def _map(qk_HxDxW: jax.Array, ov_HxDxW: jax.Array, gram_WxW: jax.Array) -> jax.Array:
    """M (D, D), the sum of A_h G B_h^T over heads; G is symmetric."""
    (heads, out, width), lanes = qk_HxDxW.shape, gram_WxW.shape[2:]
    ga_WxHxD = right(gram_WxW, _side_by_side(qk_HxDxW.mT)).reshape(width, heads, out, *lanes)
    ag_DxHW = jnp.swapaxes(ga_WxHxD, 0, 2).reshape(out, heads * width, *lanes)
    return right(ag_DxHW, _stacked(ov_HxDxW.mT))


def _side_by_side(matrices_HxNxD: jax.Array) -> jax.Array:
    """(N, H D)."""
    return jnp.concatenate([*matrices_HxNxD], axis=1)


def _stacked(matrices_HxNxD: jax.Array) -> jax.Array:
    """(H N, D)."""
    return jnp.concatenate([*matrices_HxNxD])


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
