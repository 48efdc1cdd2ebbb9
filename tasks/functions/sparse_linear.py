"""`sparse_linear`: f(x) = w . x where `nonzero` coordinates of w, chosen at random, are N(0, 1) and all others are 0.

x ~ N(0, I) [Garg22]. E f^2 is the number of nonzero coordinates. The Bayes-optimal answer is known where all sets of
coordinates can be listed (`support_posterior`).

>>> import jax
>>> SparseLinear(input_dim=8, nonzero=2).draw(jax.random.key(0), 3).shape
(3, 8)
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Prompt, visible_or_all
from tasks.flat_random import normal
from tasks.functions import support_posterior
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

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, 1).

        Raises:
            NotImplementedError: there are too many sets of coordinates to list them.
        """
        if not support_posterior.can_be_listed(self.input_dim, self.nonzero):
            raise NotImplementedError
        x, y, query = prompt.context.x, prompt.answers[:, 0], prompt.query.x
        return support_posterior.answer(x, y, query, visible_or_all(prompt), self.nonzero, self.noise)[:, None]
