"""A stack of linear attention layers, computed fast, with the same readouts as the layer-by-layer forward pass.

There are three ways (`lab.attention.linear_layers`), of which the one with the fewest multiplications is taken:

* tokens are updated from layer to layer; this way is always taken where tokens are clipped;
* vectors go through the last two layers, where there are more tokens than queries and outputs;
* a recursion on the D x D Gram matrix, where contexts are longer than tokens are wide.

Several layers of small tokens are multiplied for many prompts side by side (`lab.attention.products`).
"""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

from lab.attention.linear_layers import Circuits, attend, by_recursion, last_two_by_vectors, readouts_by_tokens
from lab.attention.products import into_lanes, multiplied_in_lanes, out_of_lanes

# (circuits of each layer, tokens, queries, documents, y_slot) -> readouts (L, Q, Y), or (L, Q, Y, lanes)
Stack = Callable[[Sequence[Circuits], jax.Array, jax.Array, jax.Array | None, slice], jax.Array]


def fast_readouts(
    blocks: Sequence[Circuits],
    num_layers: int,
    tokens_NxD: jax.Array,
    queries_QxD: jax.Array,
    documents_KxW: jax.Array | None,
    y_slot: slice,
    clip: float | None = None,
) -> jax.Array:
    """Return minus the queries' y-slots after each layer.

    Args:
        blocks: the distinct blocks, which are applied in turn until there are `num_layers` layers.
        documents_KxW: the documents, which every layer maps to further keys and values; None for none.
        clip: bound on the entries of every token after each layer; None for no bound.

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
    """Return the last of `fast_readouts` for each of many prompts, (B, Q, Y).

    Where tokens are few and small, many prompts are multiplied side by side.
    """
    prompts = tokens_BxNxD, queries_BxQxD, documents_BxKxW
    sizes = [size for array in jax.tree.leaves(prompts) for size in array.shape[1:]]
    if num_layers == 1 or not multiplied_in_lanes(*sizes):

        def answer(tokens: jax.Array, queries: jax.Array, documents: jax.Array | None) -> jax.Array:
            return fast_readouts(blocks, num_layers, tokens, queries, documents, y_slot, clip)[-1]

        return jax.vmap(answer)(*prompts)
    (_, context, width), heads = tokens_BxNxD.shape, len(blocks[0].qk)
    rows = heads * (queries_BxQxD.shape[1] + y_slot.stop - y_slot.start)
    stack = _stack(num_layers, context, width, heads, rows, clip)
    layers, prompts = [*blocks] * (num_layers // len(blocks)), jax.tree.map(into_lanes, prompts)

    def answer_lanes(tokens: jax.Array, queries: jax.Array, documents: jax.Array | None) -> jax.Array:
        return stack(layers, tokens, queries, documents, y_slot)[-1]

    answers_GxQxYxL = jax.vmap(answer_lanes)(*prompts)
    return out_of_lanes(answers_GxQxYxL, len(tokens_BxNxD))


def _stack(layers: int, context: int, width: int, heads: int, rows: int, clip: float | None) -> Stack:
    """Return the way of computing a stack that takes the fewest multiplications.

    rows: the number of vectors by which all heads read queries and write outputs.
    """
    vectors = layers > 1 and vectors_are_cheaper(context, width, rows)
    if clip is None and recursion_is_cheaper(layers - vectors, context, width, heads):
        return by_recursion
    if clip is None and vectors:
        return last_two_by_vectors

    def by_tokens(layers, tokens, queries, documents, y_slot):
        attends = [functools.partial(attend, layer) for layer in layers]
        return readouts_by_tokens(attends, tokens, queries, documents, y_slot, clip)

    return by_tokens


def vectors_are_cheaper(context: int, width: int, rows: int) -> bool:
    """Return whether vectors through the last two layers are cheaper than the tokens of the last layer.

    They take `rows` vectors through the layer before the last, one for each head and each query that it reads or output
    that it writes. A context that is much longer than tokens are wide is better read once, by the recursion.
    """
    return 2 * rows <= context <= 2 * width


def recursion_is_cheaper(layers: int, context: int, width: int, heads: int) -> bool:
    """Return whether the recursion takes fewer multiplications than a stack that updates tokens from layer to layer.

    The cost of the last layer is that of its queries in both ways, and is left out.
    """
    by_tokens = (layers - 1) * heads * context * (2 * width**2 + 2 * width * min(context, width))
    by_recursion = context * width**2 + (layers - 1) * (2 + 2 * heads) * width**3
    return by_recursion < by_tokens


def _padded_width(width: int, layers: int) -> int:
    """Return a width at which XLA's CPU code for small products is faster than at a token's own; the rest is zero.

    Several layers are products of small matrices, which of width 11 take twice as long as of 12. One layer is products
    of matrices with vectors: those of width 16 take 5 to 13% less than those of 11, but those of 40 more than of 33.
    """
    multiple = 4 if layers > 1 else 8 if width < 32 else 1
    return width + -width % multiple


def _padded(array: jax.Array, width: int, *axes: int) -> jax.Array:
    """Return the array with zeros at the end of the given axes, so that these have the length `width`."""
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
