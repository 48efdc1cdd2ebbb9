"""Base class of a task that changes another one."""

import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode, Inputs, Prompt
from tasks.synthetic import Synthetic
from tasks.task import Task


class Wrapper(Task):
    """A task that has the features, the sizes and the loss of its field `task`, unless a subclass overrides them.

    It comes first among the bases of a dataclass that has a field `task`.
    """

    task: Task

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return self.task.features

    @property
    def num_context(self) -> int:
        return self.task.num_context

    @property
    def answer_dim(self) -> int:
        return self.task.answer_dim

    @property
    def document_width(self) -> int:
        return self.task.document_width

    @property
    def scoring(self) -> Task:
        return self.task.scoring

    def loss(self, answer_QxA: jax.Array, target) -> jax.Array:
        return self.task.loss(answer_QxA, target)

    def scores(self, answer_QxA: jax.Array, target) -> dict[str, jax.Array]:
        return self.task.scores(answer_QxA, target)


@struct.dataclass
class Prefix(Wrapper):
    """`task` with only the first `count` examples shown to every query.

    The same key gives the same examples for every count. It is traced, so one compiled program measures a learner at
    every length of the context.
    """

    task: Task
    count: jax.Array

    def sample(self, key: jax.Array, batch: int) -> Episode:
        episodes = self.task.sample(key, batch)
        shape = (*episodes.prompt.query.x.shape[:2], self.num_context)
        visible = jnp.broadcast_to(jnp.arange(self.num_context) < self.count, shape)
        return dataclasses.replace(episodes, prompt=dataclasses.replace(episodes.prompt, visible=visible))

    def optimal(self, prompt: Prompt) -> jax.Array:
        return self.task.optimal(prompt)


@struct.dataclass
class Along(Wrapper, Synthetic):
    """`task`, of one input, with a grid on [-scale, scale] as the queries, so that answers can be drawn as a curve.

    The same key gives the same context and the same function as in `task`.
    """

    COUNT: ClassVar[int] = 101

    task: Synthetic

    def inputs(self, key, batch):
        context, _, documents = self.task.inputs(key, batch)
        grid = self.task.scale * jnp.linspace(-1, 1, self.COUNT)
        return context, Inputs(jnp.broadcast_to(grid[None, :, None], (batch, self.COUNT, 1))), documents

    def teacher(self, key, batch, documents):
        return self.task.teacher(key, batch, documents)


def has_curves(task: Task) -> bool:
    """Return true if the task is synthetic regression with one input and one output."""
    return isinstance(task, Synthetic) and task.features == (("x", 1),) and task.answer_dim == 1
