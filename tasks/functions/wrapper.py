"""Base class of a class of functions that changes another one."""

import jax

from tasks.functions.function import Weights
from tasks.functions.real import RealFunctions
from tasks.wrapper import Wrapper


class FunctionsWrapper(Wrapper, RealFunctions):
    """A class of functions that draws, applies and shows functions as its field `task` does, unless overridden."""

    task: RealFunctions

    @property
    def input_dim(self) -> int:
        return self.task.input_dim

    @property
    def noise(self) -> jax.Array | float:
        return self.task.noise

    @property
    def second_moment(self) -> jax.Array | float:
        return self.task.second_moment

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        return self.task.inputs(key, batch, count)

    def draw(self, key: jax.Array, count: int) -> Weights:
        return self.task.draw(key, count)

    def apply(self, weights: Weights, x_NxX: jax.Array) -> jax.Array:
        return self.task.apply(weights, x_NxX)

    def answers(self, key: jax.Array, value_BxNx1: jax.Array) -> jax.Array:
        return self.task.answers(key, value_BxNx1)
