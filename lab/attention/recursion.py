"""A linear attention stack as a recursion on one D x D matrix, for contexts that are longer than tokens are wide.

In row form a layer adds e M to every token e, M = sum_h A_h G B_h^T with the context's Gram matrix G = E^T E: the same
linear map for all tokens, so G becomes (I + M)^T G (I + M) and the tokens themselves are needed no more. Documents d
add A_d G_d B_d^T with their own Gram matrix, which no layer changes. Nothing but the first G grows with the context.
"""

import jax
import jax.numpy as jnp


def map_of(score_HxDxD: jax.Array, write_HxDxD: jax.Array, gram_DxD: jax.Array) -> jax.Array:
    """M (D, D): what one layer adds to a token, as a linear map of it. Also of documents: A_d (H, D, W), G_d (W, W)."""
    return jnp.einsum("hda,ab,hcb->dc", score_HxDxD, gram_DxD, write_HxDxD, optimize="optimal")


def next_gram(gram_DxD: jax.Array, map_DxD: jax.Array) -> jax.Array:
    """(I + M)^T G (I + M)."""
    half = gram_DxD + gram_DxD @ map_DxD
    return half + map_DxD.T @ half


def is_cheaper(layers: int, context: int, width: int, heads: int) -> bool:
    """Multiplications of the recursion against those of a stack that carries its tokens from layer to layer; the last
    layer costs either way what its queries cost."""
    by_tokens = (layers - 1) * heads * context * (2 * width**2 + 2 * width * min(context, width))
    by_recursion = context * width**2 + (layers - 1) * (2 + 2 * heads) * width**3
    return by_recursion < by_tokens
