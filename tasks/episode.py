"""One prompt: context examples, queries, and the documents that were retrieved for it.

Shape suffixes: B episodes, N context examples, Q queries, K documents, X/Z/Y width of inputs, auxiliary features and
targets, W width of a document.
"""

import jax
from flax import struct


@struct.dataclass
class Inputs:
    """What is known of an example before its target: `x` (..., X) and, where the task has them, `z` (..., Z)."""

    x: jax.Array
    z: jax.Array | None = None


@struct.dataclass
class Episode:
    """Context pairs, queries with their hidden targets, documents. A batch of episodes has B in front everywhere."""

    context: Inputs  # (N, X), (N, Z)
    context_y: jax.Array  # (N, Y)
    query: Inputs  # (Q, X), (Q, Z)
    query_y: jax.Array  # (Q, Y), never shown to a learner
    documents: jax.Array | None = None  # (K, W), they belong to the whole episode


def split_queries(inputs: Inputs, y: jax.Array, num_context: int, documents: jax.Array | None = None) -> Episode:
    """Batched examples (B, N + Q, .) -> episodes whose first N examples are the context and the rest the queries."""

    def first(a):
        return a[:, :num_context]

    def rest(a):
        return a[:, num_context:]

    return Episode(
        context=jax.tree.map(first, inputs),
        context_y=first(y),
        query=jax.tree.map(rest, inputs),
        query_y=rest(y),
        documents=documents,
    )
