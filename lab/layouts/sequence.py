"""The tokens of one prompt as a sequence that a decoder reads: those of the context first, then one token per query.

Many queries share a context. Each sees its visible part of the context, and itself, but no other query.
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
    """The T = S + Q tokens of a prompt, S of the context and Q of the queries.

    The position of a token of the context is its place, from 0; that of a query is the place after the last token that
    it sees, wherever its row is.
    """

    vectors: jax.Array  # (T, V) features and answer of the tokens, zero where a token does not show one of them
    kinds: jax.Array  # (T,) the number of each token's kind
    positions: jax.Array  # (T,)
    examples: jax.Array  # (S,) the number of the example to which each token of the context belongs
    visible: jax.Array  # (Q, N) bool

    @property
    def num_queries(self) -> int:
        """Return Q, the number of queries."""
        return len(self.visible)

    @property
    def mask(self) -> jax.Array:
        """Return the causal mask (T, T), True where the token of the row sees the token of the column.

        A token of the context sees itself and those before it, and a query its examples and itself.
        """
        context_SxS = jnp.tril(jnp.ones((len(self.examples),) * 2, bool))
        query_QxS = self.visible[:, self.examples]
        no_query_SxQ = jnp.zeros((len(self.examples), self.num_queries), bool)
        return jnp.block([[context_SxS, no_query_SxQ], [query_QxS, jnp.eye(self.num_queries, dtype=bool)]])

    @property
    def is_honest(self) -> jax.Array:
        """Return (Q,) bool: whether the answer to a query depends on its visible examples alone.

        A token of the context may hold information from all tokens before it, so they must be the first ones of the
        context.
        """
        return jnp.all(self.visible[:, :-1] >= self.visible[:, 1:], axis=1)


@dataclasses.dataclass(frozen=True)
class SequenceLayout(abc.ABC):
    """The base of the ways in which examples and queries become tokens.

    A layout is hashable, so that it can be static structure of a module.
    """

    NUM_KINDS: ClassVar[int]  # number of kinds of tokens
    PER_EXAMPLE: ClassVar[int]  # tokens per example
    QUERY_KIND: ClassVar[int]  # number of the kind of a query's token

    tokens: TokenLayout

    @property
    def width(self) -> int:
        """Return V, the width of features and answer side by side."""
        return self.tokens.token_dim

    @abc.abstractmethod
    def context(self, f_NxF: jax.Array, y_NxY: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the tokens (N, PER_EXAMPLE, V) of the examples, and their kinds (PER_EXAMPLE,) within each example."""

    def sequence(self, prompt: Prompt) -> Sequence:
        """Return one prompt as a sequence."""
        f_QxF, (num_context, width) = self.tokens.features(prompt.query), prompt.answers.shape
        visible_QxN = prompt.visible
        if visible_QxN is None:
            visible_QxN = jnp.ones((len(f_QxF), num_context), bool)
        context, kinds = self.context(self.tokens.features(prompt.context), prompt.answers)
        query_QxV = jnp.concatenate([f_QxF, jnp.zeros((len(f_QxF), width), f_QxF.dtype)], axis=-1)
        count = self.PER_EXAMPLE * num_context
        query_positions_Q = self.PER_EXAMPLE * jnp.sum(visible_QxN, axis=1)
        return Sequence(
            vectors=jnp.concatenate([context.reshape(count, self.width), query_QxV]),
            kinds=jnp.concatenate([jnp.tile(kinds, num_context), jnp.full(len(f_QxF), self.QUERY_KIND)]),
            positions=jnp.concatenate([jnp.arange(count), query_positions_Q]),
            examples=jnp.repeat(jnp.arange(num_context), self.PER_EXAMPLE),
            visible=visible_QxN,
        )


class Merged(SequenceLayout):
    """The layout with one token (f, y) per example; a query is a token (f, 0) of another kind."""

    NUM_KINDS, PER_EXAMPLE, QUERY_KIND = 2, 1, 1

    def context(self, f_NxF: jax.Array, y_NxY: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.concatenate([f_NxF, y_NxY], axis=-1)[:, None], jnp.zeros(1, int)


class Interleaved(SequenceLayout):
    """The layout with two tokens per example (Garg et al. 2022), features (f, 0) and then answer (0, y).

    They are tokens of different kinds, and a query is a token (f, 0).
    """

    NUM_KINDS, PER_EXAMPLE, QUERY_KIND = 2, 2, 0

    def context(self, f_NxF: jax.Array, y_NxY: jax.Array) -> tuple[jax.Array, jax.Array]:
        features = jnp.pad(f_NxF, ((0, 0), (0, y_NxY.shape[1])))
        answers = jnp.pad(y_NxY, ((0, 0), (f_NxF.shape[1], 0)))
        return jnp.stack([features, answers], axis=1), jnp.arange(2)
