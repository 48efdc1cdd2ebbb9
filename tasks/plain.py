"""`plain`: linear regression in context [VO23]. Tokens (x, y), y = W x, x ~ U(-alpha, alpha), W ~ N(0, 1).

>>> import jax
>>> episodes = Plain(num_context=4, input_dim=2).sample(jax.random.key(0), batch=3)
>>> episodes.context.x.shape, episodes.context_y.shape, episodes.query.x.shape
((3, 4, 2), (3, 4, 1), (3, 1, 2))
"""

import jax
import jax.numpy as jnp

from tasks import parameters
from tasks.draw import normal, uniform
from tasks.episode import Inputs
from tasks.synthetic import Synthetic, uniform_moments
from tasks.task import Moments, pytree


@pytree
class Plain(parameters.Plain, Synthetic):
    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, None]:
        (x_BxNxX,) = uniform(key, (batch, self.num_context + self.num_queries, self.input_dim))
        return Inputs(self.scale * x_BxNxX), None

    def targets(self, key: jax.Array, inputs: Inputs, documents: None) -> jax.Array:
        (teacher_BxYxX,) = normal(key, (len(inputs.x), self.output_dim, self.input_dim))
        return jnp.einsum("bnx,byx->bny", inputs.x, teacher_BxYxX)

    def moments(self) -> Moments:
        return Moments(*uniform_moments(self.input_dim, self.scale))
