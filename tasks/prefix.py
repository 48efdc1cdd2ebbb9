"""Any task, with only the first examples of each context shown.

The number of them is traced: one compiled program measures a learner at every length of the context.
"""

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode, Prompt
from tasks.task import Task


@struct.dataclass
class Prefix(Task):
    """`task`, whose episodes show `count` examples to every query. Same key, same examples, for every count."""

    task: Task
    count: jax.Array

    @property
    def features(self):
        return self.task.features

    @property
    def num_context(self):
        return self.task.num_context

    @property
    def answer_dim(self):
        return self.task.answer_dim

    @property
    def document_width(self):
        return self.task.document_width

    @property
    def loss_name(self):
        return self.task.loss_name

    @property
    def scoring(self) -> Task:
        return self.task.scoring

    def sample(self, key: jax.Array, batch: int) -> Episode:
        episodes = self.task.sample(key, batch)
        shape = (*episodes.prompt.query.x.shape[:2], self.num_context)
        visible = jnp.broadcast_to(jnp.arange(self.num_context) < self.count, shape)
        return episodes.replace(prompt=episodes.prompt.replace(visible=visible))

    def optimal(self, prompt: Prompt) -> jax.Array:
        return self.task.optimal(prompt)

    def loss(self, answer_QxA: jax.Array, target) -> jax.Array:
        return self.task.loss(answer_QxA, target)

    def scores(self, answer_QxA: jax.Array, target) -> dict[str, jax.Array]:
        return self.task.scores(answer_QxA, target)
