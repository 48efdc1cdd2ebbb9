"""Masks of a sequence: a mask is a hashable function sequence -> (T, T) bool.

It is True where the token of the row sees the token of the column.
"""

import dataclasses

import jax
import jax.numpy as jnp

from lab.layouts.sequence import Sequence


@dataclasses.dataclass(frozen=True)
class Causal:
    """The causal mask: a token of the context sees itself and those before it, and a query its examples and itself.

    A token of the context may hold information from all tokens before it. So the answer to a query depends on its
    visible examples alone only if these are the first ones of the context; `honours` returns where this is so.
    """

    def __call__(self, sequence: Sequence) -> jax.Array:
        context_SxS = jnp.tril(jnp.ones((len(sequence.examples),) * 2, bool))
        query_QxS = sequence.visible[:, sequence.examples]
        no_query_SxQ = jnp.zeros((len(sequence.examples), sequence.num_queries), bool)
        return jnp.block([[context_SxS, no_query_SxQ], [query_QxS, jnp.eye(sequence.num_queries, dtype=bool)]])

    def honours(self, sequence: Sequence) -> jax.Array:
        """Return (Q,) bool: whether the answer to a query depends on its visible examples alone."""
        return jnp.all(sequence.visible[:, :-1] >= sequence.visible[:, 1:], axis=1)
