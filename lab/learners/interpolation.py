"""Interpolation half-way between two Transformers, in their QK and OV circuits.

Raw weights can be rescaled between K and Q, and between P and V, without changing the function, so the average is taken
of the circuits A = W_Q^T W_K and B = P W_V. The function also stays the same under A -> A / c, B -> c B; in both models
c is set to the mean diagonal of A's feature block. Where a token shows an input twice, f = S x, the function depends
only on S^T A S, so c is tr(S^T A S) / tr(S^T S). The circuits of documents have the same freedom and no such diagonal:
there c makes both norms equal, with the sign under which the two models' document scores agree; a pair of circuits
that is zero stays zero.
"""

import dataclasses
from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np

from lab.attention.linear_layers import Circuits
from lab.layouts.merged import TokenLayout
from lab.learners.linear_transformer import LinearTransformer


def interpolated(
    first: LinearTransformer, second: LinearTransformer, weight: float | jax.Array = 0.5
) -> LinearTransformer:
    """Return (1 - weight) first + weight second, as a Transformer with W_Q = P = I.

    Raises:
        ValueError: the shapes differ, or there are several heads per layer (heads of two models do not correspond).
    """
    if first.shape != second.shape:
        raise ValueError(f"cannot interpolate Transformers of different shapes: {first.shape}, {second.shape}")
    if first.shape.num_heads != 1:
        raise ValueError("interpolation is defined for one head per layer: the heads of two models do not correspond")

    def between(a, b):
        return (1 - weight) * a + weight * b

    model = jax.tree.map(jnp.zeros_like, first)
    model.initial_model[...] = between(first.initial_model[...], second.initial_model[...])
    pairs = zip(normalised_circuits(first), normalised_circuits(second), strict=True)
    return _with_circuits(model, (jax.tree.map(between, one, _same_sign(two, one)) for one, two in pairs))


def canonical(model: LinearTransformer) -> LinearTransformer:
    """Return the same function (to rounding) with W_Q = P = I, W_K = A and W_V = B, both normalised.

    The scores of two such models can be compared. It is defined for one head per layer.
    """
    copy = jax.tree.map(jnp.asarray, model)
    return _with_circuits(copy, normalised_circuits(model))


def normalised_circuits(model: LinearTransformer) -> list[Circuits]:
    """Return the circuits of each block, with the scales fixed as above."""
    return [normalised(block.circuits(), model.shape.layout) for block in model.blocks]


def normalised(layer: Circuits, layout: TokenLayout) -> Circuits:
    """Return the circuits of the same function with c = 1, and document circuits of equal norm."""
    s_FxI, features = layout.feature_duplication, layout.feature_dim
    c = jnp.vdot(s_FxI, layer.qk[0, :features, :features] @ s_FxI) / np.vdot(s_FxI, s_FxI)
    norms = jnp.linalg.norm(layer.document_qk), jnp.linalg.norm(layer.document_ov)
    used = norms[0] * norms[1] > 0
    d = jnp.where(used, jnp.sqrt(norms[0] / jnp.where(used, norms[1], 1.0)), 1.0)
    return Circuits(
        qk=layer.qk / c,
        ov=layer.ov * c,
        document_qk=jnp.where(used, layer.document_qk / d, 0.0),
        document_ov=jnp.where(used, layer.document_ov * d, 0.0),
    )


def _same_sign(layer: Circuits, other: Circuits) -> Circuits:
    """Return the circuits of the same function, with the sign of document scores that agrees with the other's."""
    sign = jnp.where(jnp.sum(layer.document_qk * other.document_qk) < 0, -1.0, 1.0)
    return dataclasses.replace(layer, document_qk=sign * layer.document_qk, document_ov=sign * layer.document_ov)


def _with_circuits(model: LinearTransformer, layers: Iterable[Circuits]) -> LinearTransformer:
    eye = jnp.eye(model.shape.layout.token_dim)[None]
    for block, circuits in zip(model.blocks, layers, strict=True):
        block.w_q[...] = block.p[...] = eye
        block.w_k[...], block.w_v[...] = circuits.qk, circuits.ov
        block.w_dk[...], block.w_dv[...] = circuits.document_qk, circuits.document_ov
    return model
