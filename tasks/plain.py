"""`plain`: linear regression in context [VO23]. Tokens are (x, y) with y = W x, x ~ U(-alpha, alpha), W ~ N(0, 1).

>>> import jax
>>> episodes = Plain(num_context=4, input_dim=2).sample(jax.random.key(0), batch=3)
>>> prompt = episodes.prompt
>>> prompt.context.x.shape, prompt.answers.shape, prompt.query.x.shape, episodes.target.shape
((3, 4, 2), (3, 4, 1), (3, 1, 2), (3, 1, 1))
"""

import jax

from tasks import settings
from tasks.episode import Prompt
from tasks.flat_random import normal
from tasks.regression import minimum_norm
from tasks.synthetic import Teacher, UniformInputs, linear, uniform_moments
from tasks.task import Moments, pytree


@pytree
class Plain(settings.Plain, UniformInputs):
    def teacher(self, key: jax.Array, batch: int, documents: None) -> Teacher:
        (w_BxYxX,) = normal(key, (batch, self.output_dim, self.input_dim))
        return lambda inputs: linear(w_BxYxX, inputs.x)

    def optimal(self, prompt: Prompt) -> jax.Array:
        return minimum_norm(prompt.context.x, prompt.answers, prompt.query.x, prompt.visible)

    def moments(self) -> Moments:
        return Moments(*uniform_moments(self.input_dim, self.scale))
