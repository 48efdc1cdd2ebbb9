"""`sine_regression`: the functions of `sine`, a sin(x + b), with all examples shown to queries of their own [VO23].

Tokens are (x, y), x ~ U(-scale, scale), and no linear model of x fits: it takes features. E f^2 is that of
`tasks.functions.sine`, 4.25, for any scale.

>>> import jax
>>> prompt = SineRegression(num_context=6).sample(jax.random.key(0), batch=3).prompt
>>> prompt.context.x.shape, prompt.query.x.shape
((3, 6, 1), (3, 1, 1))
"""

import jax

from tasks import settings
from tasks.draw import uniform
from tasks.episode import Inputs
from tasks.functions.sine import Sine
from tasks.synthetic import Synthetic, Teacher
from tasks.task import pytree


@pytree
class SineRegression(settings.SineRegression, Synthetic):
    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, None]:
        counts = (self.num_context, self.num_queries)
        context, query = uniform(key, *((batch, count, self.input_dim) for count in counts))
        return Inputs(self.scale * context), Inputs(self.scale * query), None

    def teacher(self, key: jax.Array, batch: int, documents: None) -> Teacher:
        functions = Sine()
        weights = functions.draw(key, batch)
        return lambda inputs: functions.values(weights, inputs.x)
