"""Averaging [Garg22] predicts W f_q with W = 1/n sum_i y_i f_i^T over the n examples, and 0 without examples.

W is one step of gradient descent from zero on 1/(2n) sum_i ||W f_i - y_i||^2 at rate 1, and for inputs ~ N(0, I) it is
an unbiased estimate of a linear teacher.
"""

import jax
import jax.numpy as jnp

from lab.learners.fit_per_query import ByQuery


class Averaging(ByQuery):
    """Answers each query from the average of y_i f_i^T over the examples that it sees."""

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        return (f_NxF @ f_F) @ y_NxY / jnp.maximum(jnp.sum(visible_N), 1)
