"""Lasso: w minimises 1/(2n) sum_i (w . f_i - y_i)^2 + penalty ||w||_1 over the n examples, as in scikit-learn.

It is computed by coordinate descent (Friedman et al. 2010): with C = 1/n sum f f^T and c = 1/n sum y f the best w_j
given the others is

    soft(c_j - sum_{k != j} C_jk w_k, penalty) / C_jj,   soft(a, p) = sign(a) max(|a| - p, 0).

In the first half of the sweeps the penalty falls to its value from max_j |c_j|, where w = 0 is the minimum: with fewer
examples than coordinates, descent at a small penalty from the start takes thousands of sweeps.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.by_query import ByQuery


class Lasso(ByQuery):
    """Answers by the Lasso's linear model, with one w per output. sweeps: the number of sweeps over all coordinates."""

    def __init__(self, layout: TokenLayout, penalty: float | jax.Array, sweeps: int = 400):
        super().__init__(layout)
        self.penalty, self.sweeps = nnx.Param(jnp.asarray(penalty)), sweeps

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        count, width = jnp.maximum(jnp.sum(visible_N), 1), f_NxF.shape[1]
        second_FxF, product_FxY = f_NxF.T @ f_NxF / count, f_NxF.T @ y_NxY / count
        penalty, first_Y = self.penalty[...], jnp.max(jnp.abs(product_FxY), axis=0)
        ratio_Y = jnp.maximum(first_Y / penalty, 1.0)

        def update(step: jax.Array, w_FxY: jax.Array) -> jax.Array:
            j, done = step % width, 2 * (step // width) / self.sweeps
            penalty_Y = penalty * ratio_Y ** jnp.maximum(1 - done, 0.0)
            own = second_FxF[j, j]
            pull_Y = product_FxY[j] - second_FxF[j] @ w_FxY + own * w_FxY[j]
            shrunk_Y = jnp.sign(pull_Y) * jnp.maximum(jnp.abs(pull_Y) - penalty_Y, 0.0)
            return w_FxY.at[j].set(jnp.where(own > 0, shrunk_Y / jnp.where(own > 0, own, 1.0), 0.0))

        return f_F @ jax.lax.fori_loop(0, self.sweeps * width, update, jnp.zeros_like(product_FxY))
