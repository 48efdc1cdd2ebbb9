"""`relu_network`: f(x) = sqrt(2 / H) sum_h v_h relu(u_h . x), all u and v ~ N(0, 1), x ~ N(0, I) [Garg22].

E f^2 = X, the number of inputs: each term has E relu(u . x)^2 = X / 2, and there are H of them.

>>> import jax
>>> [leaf.shape for leaf in ReluNetwork(input_dim=3, hidden=7).draw(jax.random.key(0), 2)]
[(2, 7, 3), (2, 7)]
"""

import math

import jax

from tasks import settings
from tasks.flat_random import normal
from tasks.functions.real import RealFunctions
from tasks.task import pytree


@pytree
class ReluNetwork(settings.ReluNetwork, RealFunctions):
    @property
    def second_moment(self) -> int:
        return self.input_dim

    def draw(self, key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
        """Return u (count, H, X) and v (count, H)."""
        u, v = normal(key, (count, self.hidden, self.input_dim), (count, self.hidden))
        return u, v

    def apply(self, weights: tuple[jax.Array, jax.Array], x_NxX: jax.Array) -> jax.Array:
        u_HxX, v_H = weights
        return math.sqrt(2 / self.hidden) * (jax.nn.relu(x_NxX @ u_HxX.T) @ v_H)
