"""Nearest neighbours [Garg22] predict the mean answer of the k examples whose features are nearest to the query's.

With fewer than k examples it is the mean of all, and without examples 0.
"""

import jax
import jax.numpy as jnp

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import ByQuery


class Nearest(ByQuery):
    """Answers by the mean of the `neighbours` nearest examples."""

    def __init__(self, layout: TokenLayout, neighbours: int = 3):
        super().__init__(layout)
        self.neighbours = neighbours  # k

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        distance_N = jnp.where(visible_N, jnp.sum((f_NxF - f_F[None]) ** 2, axis=1), jnp.inf)
        least_K, nearest_K = jax.lax.top_k(-distance_N, min(self.neighbours, len(y_NxY)))
        counts_K = least_K > -jnp.inf
        return jnp.where(counts_K, 1.0, 0.0) @ y_NxY[nearest_K] / jnp.maximum(jnp.sum(counts_K), 1)
