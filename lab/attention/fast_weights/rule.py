"""The type of a fast-weight layer: a rule by which each token changes a matrix W, whose rows are read by queries.

Every rule has two forms with the same outputs, o_t = W_t q_t. The recurrent form is the definition: one token after the
other. The chunkwise form takes the tokens of a chunk together, by products of matrices.

Shape suffixes: T tokens, C tokens of a chunk, K width of a key, V width of a value.
"""

import abc
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct

State = Any  # a pytree: the matrix W (V, K), alone or with what else a rule remembers


@struct.dataclass
class Tokens:
    """The arrays that tokens give to one head. Rules use the gates that their equations name."""

    keys: jax.Array  # k, (T, K)
    values: jax.Array  # v, (T, V)
    rates: jax.Array  # beta, (T,)
    decays: jax.Array  # alpha, (T,): the factor by which a token shrinks what was written before it
    momenta: jax.Array  # theta, (T,)


class Rule(abc.ABC):
    """A rule of writing. Its numbers are traced."""

    def start(self, w_0_VxK: jax.Array) -> State:
        """Return the state before the first token, in which W is W_0."""
        return w_0_VxK

    def weights(self, state: State) -> jax.Array:
        """Return W (V, K)."""
        return state

    @abc.abstractmethod
    def write(self, state: State, token: Tokens) -> State:
        """Return the state after one token, whose arrays have no axis T."""

    @abc.abstractmethod
    def chunk(self, state: State, tokens: Tokens, queries_CxK: jax.Array) -> tuple[State, jax.Array]:
        """Return the state after all tokens of a chunk, and their outputs (C, V)."""


def recurrent(rule: Rule, w_0_VxK: jax.Array, tokens: Tokens, queries_TxK: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return W (V, K) after the last token, and the outputs (T, V), token by token."""

    def step(state: State, one: tuple[Tokens, jax.Array]):
        token, q_K = one
        state = rule.write(state, token)
        return state, rule.weights(state) @ q_K

    state, outputs_TxV = jax.lax.scan(step, rule.start(w_0_VxK), (tokens, queries_TxK))
    return rule.weights(state), outputs_TxV


def chunkwise(
    rule: Rule, w_0_VxK: jax.Array, tokens: Tokens, queries_TxK: jax.Array, size: int
) -> tuple[jax.Array, jax.Array]:
    """Return what `recurrent` does, by chunks of `size` tokens; the last one is shorter if they do not fit."""
    state, whole = rule.start(w_0_VxK), len(queries_TxK) // size * size
    every = (tokens, queries_TxK)
    chunks = jax.tree.map(lambda leaf: leaf[:whole].reshape(-1, size, *leaf.shape[1:]), every)
    state, outputs = jax.lax.scan(lambda state, one: rule.chunk(state, *one), state, chunks)
    outputs_TxV = outputs.reshape(whole, outputs.shape[-1])  # of no token at all, too
    if whole < len(queries_TxK):
        state, last_CxV = rule.chunk(state, *jax.tree.map(lambda leaf: leaf[whole:], every))
        outputs_TxV = jnp.concatenate([outputs_TxV, last_CxV])
    return rule.weights(state), outputs_TxV
