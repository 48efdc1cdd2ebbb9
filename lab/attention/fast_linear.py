"""A stack of linear attention layers, computed fast: the same read-outs as the literal forward pass.

Three ways, of which the one that multiplies least is taken (`lab.attention.linear_layers`): by tokens that go from
layer to layer, always where they are clipped; by vectors through the last two layers, where tokens are more than
queries and outputs; by a recursion on the D x D Gram matrix, where contexts are longer than tokens are wide. Several
layers of small tokens are multiplied for many prompts side by side (`lab.attention.products`).
"""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

from lab.attention.linear_layers import Circuits, attend, by_recursion, last_two_by_vectors, readouts_by_tokens
from lab.attention.products import into_lanes, multiplied_in_lanes, out_of_lanes


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
    (context, width), heads = tokens_NxD.shape, len(blocks[0].qk)
    rows = heads * (len(queries_QxD) + y_slot.stop - y_slot.start)
    stack = _stack(num_layers, context, width, heads, rows, clip)
    if stack is not by_recursion:
        width = _padded_width(width, num_layers)
        blocks = [_padded_circuits(block, width) for block in blocks]
        tokens_NxD, queries_QxD = (_padded(tokens, width, -1) for tokens in (tokens_NxD, queries_QxD))
    return stack([*blocks] * (num_layers // len(blocks)), tokens_NxD, queries_QxD, documents_KxW, y_slot)


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
    sizes = [size for array in jax.tree.leaves(prompts) for size in array.shape[1:]]
    if num_layers == 1 or not multiplied_in_lanes(*sizes):
        return jax.vmap(lambda *prompt: fast_readouts(blocks, num_layers, *prompt, y_slot, clip)[-1])(*prompts)
    (_, context, width), heads = tokens_BxNxD.shape, len(blocks[0].qk)
    rows = heads * (queries_BxQxD.shape[1] + y_slot.stop - y_slot.start)
    stack = _stack(num_layers, context, width, heads, rows, clip)
    layers, prompts = [*blocks] * (num_layers // len(blocks)), jax.tree.map(into_lanes, prompts)
    answers_GxQxYxL = jax.vmap(lambda *prompt: stack(layers, *prompt, y_slot)[-1])(*prompts)
    return out_of_lanes(answers_GxQxYxL, len(tokens_BxNxD))


def _stack(layers: int, context: int, width: int, heads: int, rows: int, clip: float | None) -> Callable:
    """(circuits of each layer, tokens, queries, documents, y_slot) -> read-outs (L, Q, Y[, lanes]). rows: the vectors
    that queries and outputs are read and written by."""
    vectors = layers > 1 and vectors_are_cheaper(context, width, rows)
    if clip is None and recursion_is_cheaper(layers - vectors, context, width, heads):
        return by_recursion
    if clip is None and vectors:
        return last_two_by_vectors

    def by_tokens(layers, *prompt):
        return readouts_by_tokens([functools.partial(attend, layer) for layer in layers], *prompt, clip)

    return by_tokens


def vectors_are_cheaper(context: int, width: int, rows: int) -> bool:
    """Whether the tokens of the last layer are not formed: it takes as many vectors, `rows`, through the layer before
    it as queries and outputs read and write there by all heads. A long context is read as often as it takes vectors'
    products; there the recursion reads it once."""
    return 2 * rows <= context <= 2 * width


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
