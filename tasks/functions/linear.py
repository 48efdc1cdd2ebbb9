"""`linear`: f(x) = w . x with w ~ N(0, I) and x ~ N(0, I) [Garg22]. E f^2 = X, the number of inputs.

With noise of standard deviation `noise` on the answers of the context, the Bayes-optimal answer is ridge regression
with the noise's variance as the penalty, and without noise it is the least-squares solution of smallest norm.

>>> import jax
>>> episodes = Linear(num_context=6, input_dim=2).sample(jax.random.key(0), batch=3)
>>> episodes.prompt.context.x.shape, episodes.prompt.visible.shape, episodes.target.shape
((3, 6, 2), (3, 6, 6), (3, 6, 1))
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Prompt
from tasks.flat_random import normal
from tasks.functions.real import RealFunctions
from tasks.masks import visible_or_all
from tasks.regression import minimum_norm
from tasks.task import pytree


@pytree
class Linear(settings.Linear, RealFunctions):
    @property
    def second_moment(self) -> int:
        return self.input_dim

    def draw(self, key: jax.Array, count: int) -> jax.Array:
        """Return w (count, X)."""
        return normal(key, (count, self.input_dim))[0]

    def apply(self, weights: jax.Array, x_NxX: jax.Array) -> jax.Array:
        return x_NxX @ weights

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, 1), x . w with w the mean of the posterior.

        w minimises ||y - X w||^2 + noise^2 ||w||^2, and of several such w it has the smallest norm. That is least
        squares with the additional rows noise I and targets 0, with or without noise.
        """
        visible_QxN, width = visible_or_all(prompt), self.input_dim
        rows = jnp.concatenate([prompt.context.x, self.noise * jnp.eye(width)])
        targets = jnp.concatenate([prompt.answers, jnp.zeros((width, 1))])
        visible = jnp.concatenate([visible_QxN, jnp.ones((len(visible_QxN), width), bool)], axis=1)
        return minimum_norm(rows, targets, prompt.query.x, visible)
