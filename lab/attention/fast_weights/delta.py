"""Linear attention, W <- alpha W + beta v k^T, the delta rule and the implicit step.

With alpha = 1 linear attention forgets nothing. A constant alpha is RetNet's decay, one that depends on the token
Mamba-2's (Dao and Gu 2024).

The gated delta rule is W <- alpha W (I - beta k k^T) + beta v k^T (Yang et al. 2024, arXiv 2412.06464).

With alpha = 1 it is the delta rule (Schlag et al. 2021; Yang et al. 2024, arXiv 2406.06484): a token overwrites what
its key reads. Over a chunk, W_t = g_t W_0 + sum_{i<=t} R_ti u_i k_i^T (`rule`), where

    u_t = beta_t (v_t - g_t W_0 k_t - sum_{i<t} R_ti (k_i . k_t) u_i)

is a system of equations with a triangular matrix.

The implicit step is the delta rule at the rate beta / (1 + beta |k|^2) (Longhorn: Liu et al. 2024, arXiv 2407.14207).
No beta is too large for it; as beta grows, each token's value is read back exactly (Kaczmarz).
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.fast_weights.rule import Rule, Tokens, products_between, read_and_write
from lab.attention.solve import inverse_one_plus


@struct.dataclass
class Additive(Rule):
    """The rule that adds the product of value and key."""

    name: str = struct.field(pytree_node=False, default="additive", kw_only=True)  # see Rule

    def write(self, state: jax.Array, token: Tokens) -> jax.Array:
        return token.decays * state + token.rates * token.values[:, None] * token.keys[None]

    def chunk(self, state: jax.Array, tokens: Tokens, queries_CxK: jax.Array) -> tuple[jax.Array, jax.Array]:
        u_CxV = tokens.rates[:, None] * tokens.values
        return read_and_write(state, tokens.decays, u_CxV, tokens.keys, queries_CxK)


@struct.dataclass
class Delta(Rule):
    """The rule that overwrites: with beta |k|^2 = 1, k then reads v."""

    name: str = struct.field(pytree_node=False, default="delta", kw_only=True)  # see Rule

    def write(self, state: jax.Array, token: Tokens) -> jax.Array:
        decayed_VxK = token.decays * state
        error_V = token.values - decayed_VxK @ token.keys
        return decayed_VxK + token.rates * error_V[:, None] * token.keys[None]

    def chunk(self, state: jax.Array, tokens: Tokens, queries_CxK: jax.Array) -> tuple[jax.Array, jax.Array]:
        return delta_chunk(state, tokens, tokens.keys, queries_CxK)


@struct.dataclass
class Implicit(Delta):
    """The delta rule at a rate that falls with the length of the key."""

    name: str = struct.field(pytree_node=False, default="implicit", kw_only=True)  # see Rule

    def write(self, state: jax.Array, token: Tokens) -> jax.Array:
        return super().write(state, _at_its_rate(token))

    def chunk(self, state: jax.Array, tokens: Tokens, queries_CxK: jax.Array) -> tuple[jax.Array, jax.Array]:
        return super().chunk(state, _at_its_rate(tokens), queries_CxK)


def _at_its_rate(tokens: Tokens) -> Tokens:
    square = jnp.sum(tokens.keys**2, axis=-1)
    return dataclasses.replace(tokens, rates=tokens.rates / (1 + tokens.rates * square))


def delta_chunk(
    w_VxK: jax.Array, tokens: Tokens, written_CxK: jax.Array, queries_CxK: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Return W after a chunk and the outputs, for W <- alpha W + beta (v - alpha W k) p^T with keys p for writing."""
    keys_CxK, rates_Cx1 = tokens.keys, tokens.rates[:, None]
    scores_CxC = jnp.tril(products_between(tokens.decays) * (keys_CxK @ written_CxK.T), -1)
    start_CxV = jnp.cumprod(tokens.decays)[:, None] * (keys_CxK @ w_VxK.T)
    u_CxV = inverse_one_plus(rates_Cx1 * scores_CxC) @ (rates_Cx1 * (tokens.values - start_CxV))
    return read_and_write(w_VxK, tokens.decays, u_CxV, written_CxK, queries_CxK)
