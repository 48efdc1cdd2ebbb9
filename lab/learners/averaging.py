"""Averaging [Garg22]: W = 1/n sum_i y_i f_i^T over the n examples, prediction W f_q; 0 without examples.

One step of gradient descent from zero on 1/(2n) sum_i ||W f_i - y_i||^2 at rate 1, and for inputs ~ N(0, I) an unbiased
estimate of a linear teacher.
"""

import jax
import jax.numpy as jnp

from lab.learners.by_query import ByQuery


class Averaging(ByQuery):
    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        return (f_NxF @ f_F) @ y_NxY / jnp.maximum(jnp.sum(visible_N), 1)
