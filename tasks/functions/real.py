"""Functions with real values: the answers of the context are f(x_t) + noise, and the targets are f(x_t) without noise.

The loss is 1/2 squared error, so errors divided by that of the answer 0 are squared errors divided by E f^2.
"""

import abc

import jax

from tasks.episode import Episode
from tasks.flat_random import normal
from tasks.functions.function import FunctionClass
from tasks.regression import Regression


class RealFunctions(FunctionClass, Regression):
    """A class of functions with real values, which also defines `second_moment`."""

    noise: float

    @property
    def answer_dim(self) -> int:
        return 1

    @property
    @abc.abstractmethod
    def second_moment(self) -> jax.Array | float:
        """Return E f(x)^2, the mean over functions and inputs."""

    @property
    def zero_loss(self) -> jax.Array | float:
        return self.second_moment / 2

    def answers(self, key: jax.Array, value_BxNx1: jax.Array) -> jax.Array:
        """Return the answers of the context (B, N, 1): the values plus noise of standard deviation `noise`."""
        return value_BxNx1 + self.noise * normal(key, value_BxNx1.shape)[0]

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_functions, key_inputs, key_noise = jax.random.split(key, 3)
        x_BxNxX = self.inputs(key_inputs, batch, self.num_context)
        value_BxNx1 = self.values(self.draw(key_functions, batch), x_BxNxX)
        return self.episodes(x_BxNxX, self.answers(key_noise, value_BxNx1), x_BxNxX, value_BxNx1)
