"""`sine`: f(x) = a sin(x + b) of one input x ~ U(-5, 5), a ~ U(.1, 5) and b ~ U(0, pi) [VO23].

E f^2 = E a^2 / 2 = (5^2 + 5 * .1 + .1^2) / 6, since the mean of sin(x + b)^2 over the phase b is 1/2 for every x.

>>> import jax
>>> Sine(num_context=6).sample(jax.random.key(0), batch=3).prompt.context.x.shape
(3, 6, 1)
"""

import math

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.flat_random import uniform
from tasks.functions.real import RealFunctions
from tasks.task import pytree

LARGEST_INPUT = 5.0
AMPLITUDES = (0.1, 5.0)


@pytree
class Sine(settings.Sine, RealFunctions):
    @property
    def second_moment(self) -> float:
        low, high = AMPLITUDES
        return (low**2 + low * high + high**2) / 6

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        return LARGEST_INPUT * uniform(key, (batch, count, self.input_dim))[0]

    def draw(self, key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
        """Return amplitudes and phases, (count,) each."""
        low, high = AMPLITUDES
        amplitude, phase = uniform(key, (count,), (count,))
        return (low + high) / 2 + (high - low) / 2 * amplitude, math.pi / 2 * (1 + phase)

    def apply(self, weights: tuple[jax.Array, jax.Array], x_NxX: jax.Array) -> jax.Array:
        amplitude, phase = weights
        return amplitude * jnp.sin(x_NxX[:, 0] + phase)
