"""The mesa layer, whose W is the exact solution of ridge regression at every token (von Oswald et al. 2023, arXiv
2309.05858, and 2025, arXiv 2506.05233):

    W_t = argmin_W sum_{i<=t} R_ti beta_i |W k_i - v_i|^2 + lambda |W - W_0|^2 = (B_t + lambda W_0) (A_t + lambda I)^-1,
    A <- alpha A + beta k k^T,   B <- alpha B + beta v k^T.

R_ti is the product of the decays after token i (`rule`): gamma^(t-i) for a constant alpha = gamma.
"""

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.fast_weights.rule import Rule, Tokens, read_and_write, sums
from lab.attention.solve import solve_each, solve_positive

Sums = tuple[jax.Array, jax.Array, jax.Array]  # A (K, K), B (V, K), W_0 (V, K)


@struct.dataclass
class Mesa(Rule):
    """The rule that solves; the penalty is lambda > 0. A chunk solves one system per token, by elimination."""

    penalty: nnx.Param | jax.Array
    name: str = struct.field(pytree_node=False, default="mesa", kw_only=True)  # see Rule

    def start(self, w_0_VxK: jax.Array) -> Sums:
        width = w_0_VxK.shape[1]
        return jnp.zeros((width, width), w_0_VxK.dtype), jnp.zeros_like(w_0_VxK), w_0_VxK

    def weights(self, state: Sums) -> jax.Array:
        a_KxK, b_VxK, w_0_VxK = state
        penalty = self.penalty[...]
        return solve_positive(a_KxK + penalty * jnp.eye(len(a_KxK)), (b_VxK + penalty * w_0_VxK).T).T

    def write(self, state: Sums, token: Tokens) -> Sums:
        a_KxK, b_VxK, w_0_VxK = state
        weighted_K = token.rates * token.keys
        a_KxK = token.decays * a_KxK + token.keys[:, None] * weighted_K[None]
        return a_KxK, token.decays * b_VxK + token.values[:, None] * weighted_K[None], w_0_VxK

    def chunk(self, state: Sums, tokens: Tokens, queries_CxK: jax.Array) -> tuple[Sums, jax.Array]:
        a_KxK, b_VxK, w_0_VxK = state
        solved_CxK = self.solve(a_KxK, tokens, queries_CxK)
        weighted_CxK = tokens.rates[:, None] * tokens.keys
        last_KxK, _ = read_and_write(a_KxK, tokens.decays, weighted_CxK, tokens.keys, tokens.keys)
        weighted_CxV = tokens.rates[:, None] * tokens.values
        last_VxK, outputs_CxV = read_and_write(b_VxK, tokens.decays, weighted_CxV, tokens.keys, solved_CxK)
        return (last_KxK, last_VxK, w_0_VxK), outputs_CxV + self.penalty[...] * solved_CxK @ w_0_VxK.T

    def solve(self, a_KxK: jax.Array, tokens: Tokens, queries_CxK: jax.Array) -> jax.Array:
        """Return (A_t + lambda I)^-1 q_t of every token, (C, K). a: A before the chunk."""
        a_CxKxK = sums(a_KxK, tokens, tokens.keys) + self.penalty[...] * jnp.eye(len(a_KxK))[None]
        return solve_each(a_CxKxK, queries_CxK)


@struct.dataclass
class MesaByGradients(Mesa):
    """The same by conjugate gradients over all tokens of a chunk at once, which forms no A_t.

    tolerance: the length of the residual that is left, relative to the queries' length.
    """

    tolerance: float = struct.field(pytree_node=False, default=1e-6)
    name: str = struct.field(pytree_node=False, default="mesa by gradients", kw_only=True)  # see Rule

    def solve(self, a_KxK: jax.Array, tokens: Tokens, queries_CxK: jax.Array) -> jax.Array:
        weighted_CxK = tokens.rates[:, None] * tokens.keys

        def multiply(x_CxK: jax.Array) -> jax.Array:
            product_CxK = read_and_write(a_KxK, tokens.decays, weighted_CxK, tokens.keys, x_CxK)[1]
            return product_CxK + self.penalty[...] * x_CxK

        return jax.scipy.sparse.linalg.cg(multiply, queries_CxK, tol=self.tolerance)[0]
