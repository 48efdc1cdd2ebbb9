"""Recursive least squares with forgetting (Haykin), P the inverse of the weighted second moment:

    p = beta P k / (alpha + beta k . P k),   W <- W + (v - W k) p^T,   P <- (P - p k^T P) / alpha,   P_0 = I / lambda.

It solves the mesa layer's problem with a penalty that is forgotten like an example: lambda times the product of all
decays. A decay must be above 0.
"""

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.fast_weights.chunks import sums
from lab.attention.fast_weights.rule import Rule, Tokens
from lab.attention.solve import solve_each, solve_positive

Two = tuple[jax.Array, jax.Array]  # W (V, K) and P (K, K)


@struct.dataclass
class RecursiveLeastSquares(Rule):
    """The recursion; the penalty is lambda > 0. A chunk solves for W A = B with A = P^-1 at every token."""

    penalty: nnx.Param | jax.Array

    def start(self, w_0_VxK: jax.Array) -> Two:
        return w_0_VxK, jnp.eye(w_0_VxK.shape[1], dtype=w_0_VxK.dtype) / self.penalty[...]

    def weights(self, state: Two) -> jax.Array:
        return state[0]

    def write(self, state: Two, token: Tokens) -> Two:
        w_VxK, p_KxK = state
        moved_K = p_KxK @ token.keys
        gain_K = token.rates * moved_K / (token.decays + token.rates * token.keys @ moved_K)
        w_VxK = w_VxK + (token.values - w_VxK @ token.keys)[:, None] * gain_K[None]
        return w_VxK, (p_KxK - gain_K[:, None] * moved_K[None]) / token.decays

    def chunk(self, state: Two, tokens: Tokens, queries_CxK: jax.Array) -> tuple[Two, jax.Array]:
        w_VxK, p_KxK = state
        identity = jnp.eye(len(p_KxK), dtype=p_KxK.dtype)
        a_KxK = solve_positive(p_KxK, identity)
        a_CxKxK, b_CxVxK = sums(a_KxK, tokens, tokens.keys), sums(w_VxK @ a_KxK, tokens, tokens.values)
        solved_CxK = solve_each(a_CxKxK, queries_CxK)
        last_p = solve_positive(a_CxKxK[-1], identity)
        return (b_CxVxK[-1] @ last_p, last_p), jnp.einsum("tvk,tk->tv", b_CxVxK, solved_CxK)
