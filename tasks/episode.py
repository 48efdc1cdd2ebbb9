"""An episode: the prompt, which a learner may see, and the target, against which its answer is scored.

Shape suffixes: B episodes, N context examples, Q queries, K documents, X/Z/Y width of inputs, auxiliary features and
targets, A width of an answer, W width of a document.
"""

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Inputs:
    """The inputs of examples: `x` (..., X) and, in tasks that have auxiliary features, `z` (..., Z)."""

    x: jax.Array
    z: jax.Array | None = None


@struct.dataclass
class Prompt:
    """All that a learner may see. In a batch of prompts every array has a leading axis B.

    visible: (Q, N) bool. Query q is to be answered as if only the examples i with visible[q, i] were in the prompt;
        None means all of them. It expresses prefixes, windows and random numbers of examples.
    """

    context: Inputs  # (N, X), (N, Z)
    answers: jax.Array  # (N, Y) targets of the context's examples
    query: Inputs  # (Q, X), (Q, Z)
    documents: jax.Array | None = None  # (K, W), retrieved for the prompt as a whole
    visible: jax.Array | None = None


@struct.dataclass
class Episode:
    """A prompt and what no learner is given. In a batch of episodes every array has a leading axis B.

    target: a pytree over the queries that the task's loss takes; in regression an array (Q, Y).
    group: () the number of the episode's group. Episodes of one group (those of one row of a table) are not
        independent, and standard errors are computed over groups; None where all episodes are independent.
    slopes: (Q, X) derivative of the query's inputs with respect to common coordinates (z-scores), in which the
        sensitivities to differently normalised inputs can be compared; None where there are no such coordinates.
    """

    prompt: Prompt
    target: Any
    group: jax.Array | None = None
    slopes: jax.Array | None = None

    @property
    def batch_size(self) -> int:
        """Return B, the number of episodes in a batch."""
        return len(jax.tree.leaves(self.target)[0])


def triangle(count: int) -> jax.Array:
    """Return the mask (count, count) with which query t sees the first t examples."""
    return jnp.arange(count)[None] < jnp.arange(count)[:, None]


def visible_or_all(prompt: Prompt) -> jax.Array:
    """Return the prompt's mask (Q, N), in which all examples are visible if the prompt has none."""
    if prompt.visible is None:
        return jnp.ones((len(prompt.query.x), len(prompt.answers)), bool)
    return prompt.visible
