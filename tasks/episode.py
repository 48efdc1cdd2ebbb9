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
