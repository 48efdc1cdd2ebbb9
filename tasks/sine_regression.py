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
from tasks.functions.sine import Sine
from tasks.synthetic import Teacher, UniformInputs
from tasks.task import pytree


@pytree
class SineRegression(settings.SineRegression, UniformInputs):
    def teacher(self, key: jax.Array, batch: int, documents: None) -> Teacher:
        functions = Sine()
        weights = functions.draw(key, batch)
        return lambda inputs: functions.values(weights, inputs.x)
