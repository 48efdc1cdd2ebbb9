"""`logistic`: the label of x is 1 with probability 1 / (1 + exp(-slope w . x)), with w ~ N(0, I) and x ~ N(0, I).

>>> import jax
>>> Logistic(num_context=6).sample(jax.random.key(0), batch=3).target.shape
(3, 6)
"""

import jax

from tasks import settings
from tasks.functions.labels import Labels
from tasks.task import pytree


@pytree
class Logistic(settings.Logistic, Labels):
    def labels(self, key: jax.Array, value_BxN: jax.Array) -> jax.Array:
        return jax.random.bernoulli(key, jax.nn.sigmoid(self.slope * value_BxN)).astype(int)
