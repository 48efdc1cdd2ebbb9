"""Layers of linear attention by their circuits, and the answers of a stack of them, computed in three ways.

A head depends on its weights only through two products, the QK circuit W_Q^T W_K, which gives the scores, and the OV
circuit P W_V, which gives what is added ([Elhage et al. 2021], A Mathematical Framework for Transformer Circuits). From
the last layer only the query's y-slot is read, so nothing else is computed there.

With tokens as rows, a layer adds e M to every token e, where M = sum_h A_h G B_h^T with the QK circuits A, the OV
circuits B and the context's Gram matrix G = E^T E: the same linear map for all tokens. Documents d add A_d G_d B_d^T to
M with their own Gram matrix, which no layer changes.

Every array of a prompt may have an axis of lanes after the others (`lab.attention.products`).
"""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.products import right, t_times, times, times_t
from tasks.unfused import apart


@struct.dataclass
class Circuits:
    """The circuits of a layer, which define its function. H heads, D token width, W document width."""

    qk: jax.Array  # W_Q^T W_K, (H, D, D)
    ov: jax.Array  # P W_V, (H, D, D)
    document_qk: jax.Array  # W_Q^T W_DK, (H, D, W)
    document_ov: jax.Array  # P W_DV, (H, D, W)

    @property
    def transposed(self) -> "Circuits":
        """Return the circuits of the layer whose M is the transpose of this one's."""
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
    """Return minus the queries' y-slots after each layer (L, Q, Y), where each layer reads the updated tokens.

    The layers may be of any kind.
    """

    def clipped(values):
        if clip is None:
            return values
        bound = jnp.asarray(clip, values.dtype)
        # jnp.clip has the derivative 1/2 at the bound, which it computes by a division; clamp is cheaper.
        return jax.lax.clamp(-bound, values, bound)

    @apart  # otherwise XLA computes all earlier layers again for every operation that reads the tokens
    def updated(e, change):
        return clipped(e + change)

    readouts = []
    for layer in layers[:-1]:
        changes = [layer(e, tokens_NxD, documents_KxW) for e in (tokens_NxD, queries_QxD)]
        tokens_NxD, queries_QxD = map(updated, (tokens_NxD, queries_QxD), changes)
        readouts.append(-queries_QxD[:, y_slot])
    written_QxY = layers[-1](queries_QxD, tokens_NxD, documents_KxW, y_slot)
    return jnp.stack([*readouts, -clipped(queries_QxD[:, y_slot] + written_QxY)])


def attend(
    layer: Circuits,
    receivers_TxD: jax.Array,
    tokens_SxD: jax.Array,
    documents_KxW: jax.Array | None,
    slots: slice = slice(None),
) -> jax.Array:
    """Return what a layer with keys and values of tokens and documents adds to the receivers' slots, (T, slots)."""
    written = _written(layer.qk, layer.ov[:, slots], receivers_TxD, tokens_SxD)
    if documents_KxW is None:
        return written
    return written + _written(layer.document_qk, layer.document_ov[:, slots], receivers_TxD, documents_KxW)


def _written(qk_HxDxW: jax.Array, ov_HxCxW: jax.Array, receivers_TxD: jax.Array, sources_SxW: jax.Array) -> jax.Array:
    """Return what all heads add, (T, C): heads are rows of one product, in the order that multiplies less."""
    (heads, _, width), rows, sources = qk_HxDxW.shape, len(receivers_TxD), len(sources_SxW)
    lanes = receivers_TxD.shape[2:]
    q = right(receivers_TxD, _side_by_side(qk_HxDxW)).reshape(rows * heads, width, *lanes)
    if 2 * rows * heads * sources <= (sources + rows * heads) * width:
        attended = times(times_t(q, sources_SxW), sources_SxW)
    else:
        attended = times(q, t_times(sources_SxW, sources_SxW))
    return right(attended.reshape(rows, heads * width, *lanes), _stacked(ov_HxCxW.mT))


def last_two_by_vectors(
    layers: Sequence[Circuits],
    tokens_NxD: jax.Array,
    queries_QxD: jax.Array,
    documents_KxW: jax.Array | None,
    y_slot: slice,
) -> jax.Array:
    """Return the readouts (L, Q, Y) without forming the tokens of the last layer, E (I + M).

    Only their products with the vectors that read and write there are computed: a vector u times their transpose is
    (u + u M^T) E^T, and u M^T is what a layer of transposed circuits adds to u.
    """
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


def by_recursion(
    layers: Sequence[Circuits],
    tokens_NxD: jax.Array,
    queries_QxD: jax.Array,
    documents_KxW: jax.Array | None,
    y_slot: slice,
) -> jax.Array:
    """Return the readouts (L, Q, Y) from the Gram matrix alone: each layer turns G into (I + M)^T G (I + M)."""
    gram_DxD, readouts = t_times(tokens_NxD, tokens_NxD), []
    gram_WxW = None if documents_KxW is None else t_times(documents_KxW, documents_KxW)
    for layer in layers:
        map_DxD = _map(layer.qk, layer.ov, gram_DxD)
        if gram_WxW is not None:
            map_DxD += _map(layer.document_qk, layer.document_ov, gram_WxW)
        queries_QxD = queries_QxD + times(queries_QxD, map_DxD)
        readouts.append(-queries_QxD[:, y_slot])
        half = gram_DxD + times(gram_DxD, map_DxD)
        gram_DxD = half + t_times(map_DxD, half)  # (I + M)^T G (I + M); after the last layer it is not used
    return jnp.stack(readouts)


def _map(qk_HxDxW: jax.Array, ov_HxDxW: jax.Array, gram_WxW: jax.Array) -> jax.Array:
    """Return M (D, D), the sum of A_h G B_h^T over heads; G is symmetric."""
    (heads, out, width), lanes = qk_HxDxW.shape, gram_WxW.shape[2:]
    ga_WxHxD = right(gram_WxW, _side_by_side(qk_HxDxW.mT)).reshape(width, heads, out, *lanes)
    ag_DxHW = jnp.swapaxes(ga_WxHxD, 0, 2).reshape(out, heads * width, *lanes)
    return right(ag_DxHW, _stacked(ov_HxDxW.mT))


def _side_by_side(matrices_HxNxD: jax.Array) -> jax.Array:
    """Return the matrices next to each other, (N, H D)."""
    return jnp.concatenate([*matrices_HxNxD], axis=1)


def _stacked(matrices_HxNxD: jax.Array) -> jax.Array:
    """Return the matrices below each other, (H N, D)."""
    return jnp.concatenate([*matrices_HxNxD])
