"""Layers of linear attention by their circuits, and what a stack of them answers, computed in three ways.

A head depends on its weights through two products alone, the QK circuit W_Q^T W_K, which gives the scores, and the OV
circuit P W_V, which gives what is written ([Elhage et al. 2021], A Mathematical Framework for Transformer Circuits). Of
the last layer only the query's y-slot is read, so that is all that is computed there.

In row form a layer adds e M to every token e, M = sum_h A_h G B_h^T with the QK circuits A, the OV circuits B and the
context's Gram matrix G = E^T E: the same linear map for all tokens. Documents d add A_d G_d B_d^T with their own Gram
matrix, which no layer changes.

Every array of a prompt may have an axis of lanes behind the others (`lab.attention.products`).
"""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.products import right, t_times, times, times_t
from tasks.apart import apart


@struct.dataclass
class Circuits:
    """A layer as a function. H heads, D token width, W document width."""

    qk: jax.Array  # W_Q^T W_K, (H, D, D)
    ov: jax.Array  # P W_V, (H, D, D)
    document_qk: jax.Array  # W_Q^T W_DK, (H, D, W)
    document_ov: jax.Array  # P W_DV, (H, D, W)

    @property
    def transposed(self) -> "Circuits":
        """Its M is the transpose of this one's."""
        return Circuits(self.ov, self.qk, self.document_ov, self.document_qk)


Attend = Callable[..., jax.Array]  # (receivers, tokens, documents, slots) -> what a layer adds, as `attend`


def readouts_by_tokens(
    layers: Sequence[Attend],
    tokens_NxD: jax.Array,
    queries_QxD: jax.Array,
    documents_KxW: jax.Array | None,
    y_slot: slice,
    clip: float | None = None,
) -> jax.Array:
    """Minus the queries' y-slots (L, Q, Y) after each layer, of layers of any kind; each is given the tokens as they
    are after those before it."""

    def clipped(values):
        if clip is None:
            return values
        bound = jnp.asarray(clip, values.dtype)
        return jax.lax.clamp(-bound, values, bound)  # the derivative of jnp.clip divides, to be a half at the bound

    @apart  # else layer upon layer is computed anew by everything that reads its tokens
    def updated(e, change):
        return clipped(e + change)

    readouts = []
    for layer in layers[:-1]:
        changes = [layer(e, tokens_NxD, documents_KxW) for e in (tokens_NxD, queries_QxD)]
        tokens_NxD, queries_QxD = map(updated, (tokens_NxD, queries_QxD), changes)
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


def last_two_by_vectors(layers, tokens_NxD, queries_QxD, documents_KxW, y_slot) -> jax.Array:
    """The tokens of the last layer, E (I + M), are not formed, only their products with what reads and writes there: a
    vector u times their transpose is (u + u M^T) E^T, and u M^T what a layer of transposed circuits adds to u."""
    *layers, one, last = layers
    (queries, width), heads, lanes = queries_QxD.shape[:2], len(last.qk), queries_QxD.shape[2:]
    updated, readouts = apart(jnp.add), []
    for layer in layers:
        changes = [attend(layer, e, tokens_NxD, documents_KxW) for e in (tokens_NxD, queries_QxD)]
        tokens_NxD, queries_QxD = map(updated, (tokens_NxD, queries_QxD), changes)
        readouts.append(-queries_QxD[:, y_slot])
    queries_QxD = queries_QxD + attend(one, queries_QxD, tokens_NxD, documents_KxW)
    readouts.append(-queries_QxD[:, y_slot])
    read_QHxD = right(queries_QxD, _side_by_side(last.qk)).reshape(queries * heads, width, *lanes)
    write_YHxD = jnp.swapaxes(last.ov[:, y_slot], 0, 1).reshape(-1, width)
    write_YHxD = jnp.broadcast_to(jnp.expand_dims(write_YHxD, range(2, 2 + len(lanes))), (*write_YHxD.shape, *lanes))
    vectors_RxD = jnp.concatenate([read_QHxD, write_YHxD])
    vectors_RxD = vectors_RxD + attend(one.transposed, vectors_RxD, tokens_NxD, documents_KxW)
    scores_RxN = times_t(vectors_RxD, tokens_NxD)
    read, write = scores_RxN[: queries * heads], scores_RxN[queries * heads :]
    written = times_t(*(scores.reshape(-1, heads * len(tokens_NxD), *lanes) for scores in (read, write)))
    if documents_KxW is not None:
        written = written + _written(last.document_qk, last.document_ov[:, y_slot], queries_QxD, documents_KxW)
    return jnp.stack([*readouts, -(queries_QxD[:, y_slot] + written)])


def by_recursion(layers, tokens_NxD, queries_QxD, documents_KxW, y_slot) -> jax.Array:
    """G becomes (I + M)^T G (I + M) from layer to layer, and the tokens themselves are needed no more."""
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
