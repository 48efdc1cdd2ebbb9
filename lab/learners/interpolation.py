"""Half-way between two Transformers, in their effective matrices (design 2.7).

Raw weights can be rescaled between K and Q, and between P and V, without changing the function, so the average is taken
of A = W_Q^T W_K and B = P W_V. One freedom is left, A -> A / c, B -> c B; it is fixed by c = the mean diagonal of A's
feature block in both. Where a token shows an input twice, f = S x, only S^T A S is a matter of function, so c is
tr(S^T A S) / tr(S^T S). The documents' pair has the same freedom and no such diagonal: there c makes both norms equal,
with the sign under which the two models' document scores agree; a pair that is zero stays zero.
"""

import jax
import jax.numpy as jnp
import numpy as np

from lab.layouts.merged import TokenLayout
from lab.learners.linear_transformer import Effective, LinearTransformer


def interpolated(first: LinearTransformer, second: LinearTransformer, weight: float = 0.5) -> LinearTransformer:
    """(1 - weight) first + weight second, as a Transformer with W_Q = P = I.

    Raises:
        ValueError: the shapes differ, or there is more than one head a layer (heads of two models do not correspond).
    """
    if first.shape != second.shape:
        raise ValueError(f"cannot interpolate Transformers of different shapes: {first.shape}, {second.shape}")
    if first.shape.num_heads != 1:
        raise ValueError("interpolation is defined for one head a layer: the heads of two models do not correspond")

    def between(a, b):
        return (1 - weight) * a + weight * b

    model = jax.tree.map(jnp.zeros_like, first)
    model.initial_model[...] = between(first.initial_model[...], second.initial_model[...])
    eye = jnp.eye(first.shape.layout.token_dim)[None]
    for block, one, two in zip(model.blocks, first.blocks, second.blocks, strict=True):
        one, two = (normalised(b.effective(), first.shape.layout) for b in (one, two))
        middle = jax.tree.map(between, one, _same_sign(two, one))
        block.w_q[...] = block.p[...] = eye
        block.w_k[...], block.w_v[...] = middle.score, middle.write
        block.w_dk[...], block.w_dv[...] = middle.document_score, middle.document_write
    return model


def normalised(layer: Effective, layout: TokenLayout) -> Effective:
    """The same function with c = 1, and document matrices of equal norm."""
    s_FxI, features = layout.feature_duplication, layout.feature_dim
    c = jnp.vdot(s_FxI, layer.score[0, :features, :features] @ s_FxI) / np.vdot(s_FxI, s_FxI)
    norms = jnp.linalg.norm(layer.document_score), jnp.linalg.norm(layer.document_write)
    used = norms[0] * norms[1] > 0
    d = jnp.where(used, jnp.sqrt(norms[0] / jnp.where(used, norms[1], 1.0)), 1.0)
    return Effective(
        score=layer.score / c,
        write=layer.write * c,
        document_score=jnp.where(used, layer.document_score / d, 0.0),
        document_write=jnp.where(used, layer.document_write * d, 0.0),
    )


def _same_sign(layer: Effective, other: Effective) -> Effective:
    """The same function, with its document scores on the side of the other's."""
    sign = jnp.where(jnp.sum(layer.document_score * other.document_score) < 0, -1.0, 1.0)
    return layer.replace(document_score=sign * layer.document_score, document_write=sign * layer.document_write)
