"""Momentum memory, M <- theta M - beta g(W), W <- alpha W + M (Titans, linear: Behrouz et al. 2025, arXiv 2501.00663).

g(W) = (W k - v) k^T is taken before W decays. With u_t = beta_t (v_t - W_{t-1} k_t), over a chunk

    W_t = a_t W_0 + b_t M_0 + sum_{i<=t} D_ti u_i k_i^T,   D = R(alpha) R(theta),

where R are products of gates between two tokens (`rule`), a_t the products of alpha from the first one to t, and
b = R(alpha) times the products of theta.
"""

import jax
import jax.numpy as jnp
from flax import struct

from lab.attention.fast_weights.rule import Rule, Tokens, products_between
from lab.attention.solve import inverse_one_plus

Two = tuple[jax.Array, jax.Array]  # W and M, (V, K) each


@struct.dataclass
class MomentumMemory(Rule):
    """The rule whose change of W is remembered."""

    name: str = struct.field(pytree_node=False, default="momentum", kw_only=True)  # see Rule

    def start(self, w_0_VxK: jax.Array) -> Two:
        return w_0_VxK, jnp.zeros_like(w_0_VxK)

    def weights(self, state: Two) -> jax.Array:
        return state[0]

    def write(self, state: Two, token: Tokens) -> Two:
        w_VxK, m_VxK = state
        gradient_VxK = (w_VxK @ token.keys - token.values)[:, None] * token.keys[None]
        m_VxK = token.momenta * m_VxK - token.rates * gradient_VxK
        return token.decays * w_VxK + m_VxK, m_VxK

    def chunk(self, state: Two, tokens: Tokens, queries_CxK: jax.Array) -> tuple[Two, jax.Array]:
        (w_VxK, m_VxK), keys_CxK, rates_Cx1 = state, tokens.keys, tokens.rates[:, None]
        between_w, between_m = products_between(tokens.decays), products_between(tokens.momenta)
        since_m = jnp.cumprod(tokens.momenta)
        a_C, b_C, d_CxC = jnp.cumprod(tokens.decays), between_w @ since_m, between_w @ between_m

        def of_start(rows_CxK: jax.Array, a_C: jax.Array, b_C: jax.Array) -> jax.Array:
            return a_C[:, None] * (rows_CxK @ w_VxK.T) + b_C[:, None] * (rows_CxK @ m_VxK.T)

        # A token's gradient is at the W before it: rows of the coefficients move down by one.
        before_CxC = jnp.pad(d_CxC[:-1], ((1, 0), (0, 0)))
        start_CxV = of_start(keys_CxK, jnp.pad(a_C[:-1], (1, 0), constant_values=1), jnp.pad(b_C[:-1], (1, 0)))
        scores_CxC = before_CxC * (keys_CxK @ keys_CxK.T)
        u_CxV = inverse_one_plus(rates_Cx1 * scores_CxC) @ (rates_Cx1 * (tokens.values - start_CxV))
        outputs_CxV = of_start(queries_CxK, a_C, b_C) + (d_CxC * (queries_CxK @ keys_CxK.T)) @ u_CxV
        last_w = a_C[-1] * w_VxK + b_C[-1] * m_VxK + (d_CxC[-1][:, None] * u_CxV).T @ keys_CxK
        last_m = since_m[-1] * m_VxK + (between_m[-1][:, None] * u_CxV).T @ keys_CxK
        return (last_w, last_m), outputs_CxV
