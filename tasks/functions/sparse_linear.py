"""`sparse_linear`: f(x) = w . x where `nonzero` coordinates of w, chosen at random, are N(0, 1) and all others are 0.

x ~ N(0, I) [Garg22]. E f^2 is the number of nonzero coordinates.

>>> import jax
>>> SparseLinear(input_dim=8, nonzero=2).draw(jax.random.key(0), 3).shape
(3, 8)
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.draw import normal
from tasks.functions.real import RealFunctions
from tasks.task import pytree


@pytree
class SparseLinear(settings.SparseLinear, RealFunctions):
    @property
    def second_moment(self) -> int:
        return self.nonzero

    def draw(self, key: jax.Array, count: int) -> jax.Array:
        """Return w (count, X)."""
        key_weights, key_order = jax.random.split(key)
        (w,) = normal(key_weights, (count, self.input_dim))
        order = jnp.argsort(jax.random.uniform(key_order, w.shape), axis=1)  # each coordinate's place in a shuffle
        return jnp.where(order < self.nonzero, w, 0.0)

    def apply(self, weights: jax.Array, x_NxX: jax.Array) -> jax.Array:
        return x_NxX @ weights
