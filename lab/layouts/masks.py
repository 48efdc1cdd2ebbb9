"""Who sees whom in a sequence: a mask is a hashable object, sequence -> (T, T) bool, True where the token of the row
sees that of the column."""

import dataclasses

import jax
import jax.numpy as jnp

from lab.layouts.sequence import Sequence


@dataclasses.dataclass(frozen=True)
class Causal:
    """A token of the context sees itself and those before it. A query sees the tokens of its visible examples and
    itself.

    What a token of the context holds may come from all before it. So a query is answered as if its visible examples
    were all there is only if these are the first ones, a prefix of the context; `honours` tells.
    """

    def __call__(self, sequence: Sequence) -> jax.Array:
        among_context = jnp.tril(jnp.ones((len(sequence.examples),) * 2, bool))
        by_query_QxS = sequence.visible[:, sequence.examples]
        no_query = jnp.zeros((len(sequence.examples), sequence.num_queries), bool)
        return jnp.block([[among_context, no_query], [by_query_QxS, jnp.eye(sequence.num_queries, dtype=bool)]])

    def honours(self, sequence: Sequence) -> jax.Array:
        """(Q,) bool: whether a query's answer is that to its visible examples alone."""
        return jnp.all(sequence.visible[:, :-1] >= sequence.visible[:, 1:], axis=1)
