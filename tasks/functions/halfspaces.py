"""`halfspaces`: the label of x is the sign of w . x, with w ~ N(0, I) and x ~ N(0, I): 1 where it is above 0.

>>> import jax
>>> episodes = Halfspaces(num_context=6).sample(jax.random.key(0), batch=3)
>>> episodes.prompt.answers.shape, episodes.target.shape
((3, 6, 2), (3, 6))
"""

import jax

from tasks import settings
from tasks.functions.labels import Labels
from tasks.task import pytree


@pytree
class Halfspaces(settings.Halfspaces, Labels):
    def labels(self, key: jax.Array, value_BxN: jax.Array) -> jax.Array:
        return (value_BxN > 0).astype(int)
