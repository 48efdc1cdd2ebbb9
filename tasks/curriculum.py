"""A curriculum over a class of functions: training begins with few inputs and short contexts, and both grow [Garg22].

At step s of training with a plan of increments every E steps, only

    min(d, inputs + more_inputs * floor(s / E))        coordinates of x are not zero, and only the
    min(N, examples + more_examples * floor(s / E))    first queries of an episode count in its loss.

Zeros and losses that do not count are masks of traced numbers: all stages, and training without a curriculum, are one
compiled program.
"""

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode
from tasks.functions.real import RealFunctions
from tasks.functions.wrapper import FunctionsWrapper
from tasks.wrapper import Wrapper


@struct.dataclass
class Plan:
    """Whole numbers, as floats. every: steps between increments; 0: there is no curriculum."""

    every: jax.Array | float
    inputs: jax.Array | float
    examples: jax.Array | float
    more_inputs: jax.Array | float
    more_examples: jax.Array | float

    def sizes(self, step: jax.Array) -> tuple[jax.Array, jax.Array]:
        """How many coordinates and how many examples there are at a step; without a curriculum infinitely many."""
        stage = jnp.floor(step / jnp.maximum(self.every, 1.0))
        is_planned = self.every > 0
        inputs, examples = self.inputs + self.more_inputs * stage, self.examples + self.more_examples * stage
        return jnp.where(is_planned, inputs, jnp.inf), jnp.where(is_planned, examples, jnp.inf)


@struct.dataclass
class Curriculum(Wrapper):
    """`task`, which training with `meta.train` meets as the plan says; drawn from elsewhere it is the task itself."""

    task: RealFunctions
    plan: Plan

    def sample(self, key: jax.Array, batch: int) -> Episode:
        return self.task.sample(key, batch)

    def at(self, step: jax.Array) -> "Stage":
        return Stage(self.task, *self.plan.sizes(step))


@struct.dataclass
class Stage(FunctionsWrapper):
    """`task` of which the first `num_inputs` coordinates are drawn, and the first `num_examples` queries count."""

    task: RealFunctions
    num_inputs: jax.Array
    num_examples: jax.Array

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        is_drawn_X = jnp.arange(self.input_dim) < self.num_inputs
        return jnp.where(is_drawn_X[None, None], self.task.inputs(key, batch, count), 0.0)

    def loss(self, answer_QxA: jax.Array, target_QxA: jax.Array) -> jax.Array:
        """(Q,), of which the mean is that of the queries that count: those of the others are 0."""
        losses_Q = self.task.loss(answer_QxA, target_QxA)
        counts_Q = jnp.arange(len(losses_Q)) < self.num_examples
        weight = len(losses_Q) / jnp.minimum(self.num_examples, len(losses_Q))
        return jnp.where(counts_Q, weight * losses_Q, 0.0)
