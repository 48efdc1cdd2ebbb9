"""The implicit step, which is the delta rule at the rate beta / (1 + beta |k|^2) (Longhorn: Liu et al. 2024, arXiv
2407.14207). No beta is too large for it; as beta grows, each token's value is read back exactly (Kaczmarz).
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.fast_weights.delta import Delta
from lab.attention.fast_weights.rule import Tokens


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
