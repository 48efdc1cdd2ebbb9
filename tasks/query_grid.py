"""A task of one input whose queries form a grid over the input's range, so that answers can be drawn as a curve."""

from typing import ClassVar

import jax.numpy as jnp
from flax import struct

from tasks.episode import Inputs
from tasks.synthetic import Synthetic
from tasks.task import Task
from tasks.wrapper import Wrapper


@struct.dataclass
class Along(Wrapper, Synthetic):
    """`task` with the `COUNT` points of a grid on [-scale, scale] as the queries of every episode.

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
