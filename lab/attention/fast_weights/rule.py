"""The type of a fast-weight layer: a rule by which each token changes a matrix W, whose rows are read by queries.

Every rule has two forms with the same outputs, o_t = W_t q_t. The recurrent form is the definition: one token after the
other. The chunkwise form takes the tokens of a chunk together, by products of matrices: within a chunk, W_t = g_t W_0 +
sum_{i<=t} R_ti u_i k_i^T, where g_t is the product of the decays of tokens 1 to t, and R_ti of tokens i + 1 to t.

Shape suffixes: T tokens, C tokens of a chunk, K width of a key, V width of a value.
"""

import abc
import functools
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
    """A rule of writing. Its numbers are traced.

    Each rule has a static field `name` of its own: JAX compares pytrees by their fields and not by their types, so that
    otherwise the compiled program of another rule might run (`lab.attention.softmax`).
    """

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
    """Return the final weights and the outputs of `recurrent`, computed by chunks of `size` tokens; the last chunk is
    shorter if they do not fit.

    Each step of the scan cuts its chunk out of all tokens: chunks as inputs of the scan would be copied into another
    order under vmap. A gradient computes a chunk's matrices again, which on a CPU is faster than to store and read them
    (docs/speed-log.md).
    """
    every, count = (tokens, queries_TxK), len(queries_TxK)
    whole = count // size * size
    state, outputs = rule.start(w_0_VxK), [tokens.values[:0]]

    @functools.partial(jax.checkpoint, prevent_cse=False)  # which is for steps that are not a scan's
    def step(state: State, first: jax.Array):
        cut = functools.partial(jax.lax.dynamic_slice_in_dim, start_index=first, slice_size=size)
        return rule.chunk(state, *jax.tree.map(cut, every))

    if whole:
        state, outputs_NxCxV = jax.lax.scan(step, state, jnp.arange(0, whole, size))
        outputs.append(outputs_NxCxV.reshape(whole, -1))
    if whole < count:
        state, last_CxV = rule.chunk(state, *jax.tree.map(lambda leaf: leaf[whole:], every))
        outputs.append(last_CxV)
    return rule.weights(state), jnp.concatenate(outputs)


def products_between(factors_C: jax.Array) -> jax.Array:
    """Return R (C, C), the products of the factors i + 1 to t, 1 for t = i and 0 for t < i; a factor may be 0."""
    place_C = jnp.arange(len(factors_C))
    is_later_CxC = place_C[:, None] > place_C[None]
    return jnp.tril(jnp.cumprod(jnp.where(is_later_CxC, factors_C[:, None], 1.0), axis=0))


def read_and_write(
    w_VxK: jax.Array, decays_C: jax.Array, u_CxV: jax.Array, keys_CxK: jax.Array, queries_CxK: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Return W (V, K) after the chunk, and the outputs W_t q_t (C, V)."""
    g_C, r_CxC = jnp.cumprod(decays_C), products_between(decays_C)
    outputs_CxV = g_C[:, None] * (queries_CxK @ w_VxK.T) + (r_CxC * (queries_CxK @ keys_CxK.T)) @ u_CxV
    return g_C[-1] * w_VxK + (r_CxC[-1][:, None] * u_CxV).T @ keys_CxK, outputs_CxV


def sums(start_UxK: jax.Array, tokens: Tokens, left_CxU: jax.Array) -> jax.Array:
    """Return S <- alpha S + beta u k^T after every token of a chunk, (C, U, K): A for u = k, B for u = v."""
    weights_CxC = products_between(tokens.decays) * tokens.rates[None]
    added_CxUxK = jnp.einsum("ti,iu,ik->tuk", weights_CxC, left_CxU, tokens.keys)
    return jnp.cumprod(tokens.decays)[:, None, None] * start_UxK[None] + added_CxUxK
