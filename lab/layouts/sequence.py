"""The tokens of one prompt as a sequence that a decoder reads: the context's first, then one token per query.

Many queries share a context. Each sees what it is allowed to of the context, and itself, and no other query.
"""

import abc
import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct

from lab.layouts.merged import TokenLayout
from tasks.episode import Prompt


@struct.dataclass
class Sequence:
    """T = S + Q tokens, S of the context and Q queries.

    vectors: (T, V) what the tokens show, zero where they do not show a part. kinds: (T,) which kind of token each is.
    positions: (T,) places of the context's tokens from 0; a query's is the place behind what it sees, whatever column
        it stands in. examples: (S,) the example that each token of the context is made of. visible: (Q, N) bool.
    """

    vectors: jax.Array
    kinds: jax.Array
    positions: jax.Array
    examples: jax.Array
    visible: jax.Array

    @property
    def num_queries(self) -> int:
        """Q."""
        return len(self.visible)


@dataclasses.dataclass(frozen=True)
class SequenceLayout(abc.ABC):
    """How examples and queries become tokens. Hashable: static structure of a module."""

    NUM_KINDS: ClassVar[int]
    PER_EXAMPLE: ClassVar[int]  # tokens
    QUERY_KIND: ClassVar[int]

    tokens: TokenLayout

    @property
    def width(self) -> int:
        """V, of what a token shows: the features and the answer side by side."""
        return self.tokens.token_dim

    @abc.abstractmethod
    def context(self, f_NxF: jax.Array, y_NxY: jax.Array) -> tuple[jax.Array, jax.Array]:
        """The tokens (N, PER_EXAMPLE, V) of the examples, and the kinds (PER_EXAMPLE,) of those of each example."""

    def sequence(self, prompt: Prompt) -> Sequence:
        """One prompt as a sequence."""
        f_QxF, (num_context, width) = self.tokens.features(prompt.query), prompt.answers.shape
        visible_QxN = prompt.visible
        if visible_QxN is None:
            visible_QxN = jnp.ones((len(f_QxF), num_context), bool)
        context, kinds = self.context(self.tokens.features(prompt.context), prompt.answers)
        query_QxV = jnp.concatenate([f_QxF, jnp.zeros((len(f_QxF), width), f_QxF.dtype)], axis=-1)
        count = self.PER_EXAMPLE * num_context
        behind_Q = self.PER_EXAMPLE * jnp.sum(visible_QxN, axis=1)
        return Sequence(
            vectors=jnp.concatenate([context.reshape(count, self.width), query_QxV]),
            kinds=jnp.concatenate([jnp.tile(kinds, num_context), jnp.full(len(f_QxF), self.QUERY_KIND)]),
            positions=jnp.concatenate([jnp.arange(count), behind_Q]),
            examples=jnp.repeat(jnp.arange(num_context), self.PER_EXAMPLE),
            visible=visible_QxN,
        )
