"""What a learner may see, the prompt, and what it is scored against, the target.

Shape suffixes: B episodes, N context examples, Q queries, K documents, X/Z/Y width of inputs, auxiliary features and
targets, A width of an answer, W width of a document.
"""

from typing import Any

import jax
from flax import struct


@struct.dataclass
class Inputs:
    """What is known of an example before its target: `x` (..., X) and, where the task has them, `z` (..., Z)."""

    x: jax.Array
    z: jax.Array | None = None


@struct.dataclass
class Prompt:
    """All that a learner may see. A batch of prompts has B in front everywhere.

    visible: (Q, N) bool. Query q is to be answered as if only the examples with visible[q] were in the prompt; None
    means all of them. Prefixes, windows and a random number of examples are all expressed this way.
    """

    context: Inputs  # (N, X), (N, Z)
    answers: jax.Array  # (N, Y) targets of the context's examples
    query: Inputs  # (Q, X), (Q, Z)
    documents: jax.Array | None = None  # (K, W), they belong to the whole prompt
    visible: jax.Array | None = None


@struct.dataclass
class Episode:
    """A prompt and what no learner is ever handed. A batch has B in front everywhere.

    target: of the queries, a pytree that the task's loss understands; of a regression (Q, Y).
    group: () number of what the episode is made from. Episodes of one group (those of one row of a table) are not
        independent, and errors are computed over groups; None where all episodes are independent.
    slopes: (Q, I) derivative of the query's inputs with respect to common coordinates, in which sensitivities of
        differently normalised inputs can be compared; None where the inputs have no other coordinates.
    """

    prompt: Prompt
    target: Any
    group: jax.Array | None = None
    slopes: jax.Array | None = None

    @property
    def batch_size(self) -> int:
        """B, of a batch of episodes."""
        return len(jax.tree.leaves(self.target)[0])
