"""Linear attention, W <- alpha W + beta v k^T; alpha = 1 forgets nothing.

A constant alpha is RetNet's decay, one that depends on the token Mamba-2's (Dao and Gu 2024).
"""

import jax
from flax import struct

from lab.attention.fast_weights.rule import Rule, Tokens, read_and_write


@struct.dataclass
class Additive(Rule):
    """The rule that adds the product of value and key."""

    name: str = struct.field(pytree_node=False, default="additive", kw_only=True)  # see Rule

    def write(self, state: jax.Array, token: Tokens) -> jax.Array:
        return token.decays * state + token.rates * token.values[:, None] * token.keys[None]

    def chunk(self, state: jax.Array, tokens: Tokens, queries_CxK: jax.Array) -> tuple[jax.Array, jax.Array]:
        u_CxV = tokens.rates[:, None] * tokens.values
        return read_and_write(state, tokens.decays, u_CxV, tokens.keys, queries_CxK)
