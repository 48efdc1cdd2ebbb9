"""The layout with two tokens per example, features (f, 0) and then answer (0, y) (Garg et al. 2022); a query is (f, 0).

Features and answers are tokens of different kinds, and a query is of the kind of features.
"""

import jax
import jax.numpy as jnp

from lab.layouts.sequence import SequenceLayout


class Interleaved(SequenceLayout):
    """Two tokens per example."""

    NUM_KINDS, PER_EXAMPLE, QUERY_KIND = 2, 2, 0

    def context(self, f_NxF: jax.Array, y_NxY: jax.Array) -> tuple[jax.Array, jax.Array]:
        features = jnp.pad(f_NxF, ((0, 0), (0, y_NxY.shape[1])))
        answers = jnp.pad(y_NxY, ((0, 0), (f_NxF.shape[1], 0)))
        return jnp.stack([features, answers], axis=1), jnp.arange(2)
