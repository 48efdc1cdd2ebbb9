"""The chunkwise forms share this: within a chunk, W_t = g_t W_0 + sum_{i<=t} R_ti u_i k_i^T.

g_t is the product of the decays of the tokens 1 to t, and R_ti of the tokens i + 1 to t.
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.rule import Tokens


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
