"""A task of one input, with queries at equal distances from one end of its inputs to the other: what learners have
learned of a function, as a curve."""

from typing import ClassVar

import jax.numpy as jnp
from flax import struct

from tasks.episode import Inputs
from tasks.synthetic import Synthetic
from tasks.task import Task
from tasks.wrapper import Wrapper


@struct.dataclass
class Along(Wrapper, Synthetic):
    """`task`, whose episodes have the queries of a grid on [-scale, scale]. Same key, same context and function."""

    COUNT: ClassVar[int] = 101

    task: Synthetic

    def inputs(self, key, batch):
        context, _, documents = self.task.inputs(key, batch)
        grid = self.task.scale * jnp.linspace(-1, 1, self.COUNT)
        return context, Inputs(jnp.broadcast_to(grid[None, :, None], (batch, self.COUNT, 1))), documents

    def teacher(self, key, batch, documents):
        return self.task.teacher(key, batch, documents)


def has_curves(task: Task) -> bool:
    """Whether it is a synthetic task of one input."""
    return isinstance(task, Synthetic) and task.features == (("x", 1),) and task.answer_dim == 1
