"""`quadratic`: f(x) = sum_i w_i x_i^2 / sqrt(3) with w ~ N(0, I) and x ~ N(0, I), as in the code of [Garg22].

E f^2 = X, the number of inputs, as for `linear`, since E x^4 = 3.

>>> import jax
>>> Quadratic(num_context=6).sample(jax.random.key(0), batch=3).target.shape
(3, 6, 1)
"""

import math

import jax

from tasks import settings
from tasks.flat_random import normal
from tasks.functions.real import RealFunctions
from tasks.task import pytree


@pytree
class Quadratic(settings.Quadratic, RealFunctions):
    @property
    def second_moment(self) -> int:
        return self.input_dim

    def draw(self, key: jax.Array, count: int) -> jax.Array:
        """Return w (count, X)."""
        return normal(key, (count, self.input_dim))[0]

    def apply(self, weights: jax.Array, x_NxX: jax.Array) -> jax.Array:
        return x_NxX**2 @ weights / math.sqrt(3)
