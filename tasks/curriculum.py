"""A curriculum over a class of functions: training begins with few inputs and short contexts, and both grow [Garg22].

With a plan that increments every E steps, at step s of training

    the first  min(d, inputs + more_inputs * floor(s / E))      coordinates of x are drawn, and the others are zero;
    the first  min(N, examples + more_examples * floor(s / E))  queries of an episode count in its loss.

Both counts are traced numbers that enter through masks, so all stages, and training without a curriculum, share one
compiled program.
"""

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode
from tasks.functions.real import FunctionsWrapper, RealFunctions
from tasks.wrapper import Wrapper


@struct.dataclass
class Plan:
    """The numbers of the module's formula, whole numbers stored as floats.

    every: E, the steps between increments; 0 means that there is no curriculum.
    """

    every: jax.Array | float
    inputs: jax.Array | float
    examples: jax.Array | float
    more_inputs: jax.Array | float
    more_examples: jax.Array | float

    def sizes(self, step: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the numbers of coordinates and of examples at a step, both infinite without a curriculum."""
        stage = jnp.floor(step / jnp.maximum(self.every, 1.0))
        is_planned = self.every > 0
        inputs, examples = self.inputs + self.more_inputs * stage, self.examples + self.more_examples * stage
        return jnp.where(is_planned, inputs, jnp.inf), jnp.where(is_planned, examples, jnp.inf)


@struct.dataclass
class Curriculum(Wrapper):
    """`task` with a curriculum: training (`meta.train`) draws from the stage `at(step)`, all others from `task`."""

    task: RealFunctions
    plan: Plan

    def sample(self, key: jax.Array, batch: int) -> Episode:
        return self.task.sample(key, batch)

    def at(self, step: jax.Array) -> "Stage":
        return Stage(self.task, *self.plan.sizes(step))


@struct.dataclass
class Stage(FunctionsWrapper):
    """`task` with all but the first `num_inputs` coordinates set to 0, and the loss of the first `num_examples` queries
    alone."""

    task: RealFunctions
    num_inputs: jax.Array
    num_examples: jax.Array

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        is_drawn_X = jnp.arange(self.input_dim) < self.num_inputs
        return jnp.where(is_drawn_X[None, None], self.task.inputs(key, batch, count), 0.0)

    def loss(self, answer_QxA: jax.Array, target_QxA: jax.Array) -> jax.Array:
        """Return weighted losses (Q,), 0 for queries that do not count, whose mean over all Q queries is the mean loss
        of those that count."""
        losses_Q = self.task.loss(answer_QxA, target_QxA)
        counts_Q = jnp.arange(len(losses_Q)) < self.num_examples
        weight = len(losses_Q) / jnp.minimum(self.num_examples, len(losses_Q))
        return jnp.where(counts_Q, weight * losses_Q, 0.0)
