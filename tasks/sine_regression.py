"""`sine_regression`: the functions a sin(x + b) of `sine`, with separate queries that see all examples [VO23].

Tokens are (x, y) with x ~ U(-scale, scale). No linear model of x fits these functions, so a learner has to compute
features of x. E f^2 is 4.25 for any scale, as in `tasks.functions.real`.

>>> import jax
>>> prompt = SineRegression(num_context=6).sample(jax.random.key(0), batch=3).prompt
>>> prompt.context.x.shape, prompt.query.x.shape
((3, 6, 1), (3, 1, 1))
"""

import jax

from tasks import settings
from tasks.functions.real import Sine
from tasks.synthetic import Teacher, UniformInputs
from tasks.task import pytree


@pytree
class SineRegression(settings.SineRegression, UniformInputs):
    def teacher(self, key: jax.Array, batch: int, documents: None) -> Teacher:
        functions = Sine()
        weights = functions.draw(key, batch)
        return lambda inputs: functions.values(weights, inputs.x)
