"""Any task, with only the first examples of each context shown.

Their number is traced, so one compiled program measures a learner at every length of the context.
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode, Prompt
from tasks.task import Task
from tasks.wrapper import Wrapper


@struct.dataclass
class Prefix(Wrapper):
    """`task` with only the first `count` examples shown to every query; the same key gives the same examples for every
    count."""

    task: Task
    count: jax.Array

    def sample(self, key: jax.Array, batch: int) -> Episode:
        episodes = self.task.sample(key, batch)
        shape = (*episodes.prompt.query.x.shape[:2], self.num_context)
        visible = jnp.broadcast_to(jnp.arange(self.num_context) < self.count, shape)
        return dataclasses.replace(episodes, prompt=dataclasses.replace(episodes.prompt, visible=visible))

    def optimal(self, prompt: Prompt) -> jax.Array:
        return self.task.optimal(prompt)
