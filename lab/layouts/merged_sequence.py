"""The layout with one token (f, y) per example; a query is a token (f, 0) of another kind."""

import jax
import jax.numpy as jnp

from lab.layouts.sequence import SequenceLayout


class Merged(SequenceLayout):
    """One token per example."""

    NUM_KINDS, PER_EXAMPLE, QUERY_KIND = 2, 1, 1

    def context(self, f_NxF: jax.Array, y_NxY: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.concatenate([f_NxF, y_NxY], axis=-1)[:, None], jnp.zeros(1, int)
