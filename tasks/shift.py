"""Distribution shift: a synthetic regression task whose test distribution differs from that of training.

Every number of a `Shift` is traced, so one compiled program evaluates a whole grid of shifts. The wrapped task draws
its inputs as it always does, and the shift maps them. So the same key gives the same u ~ U(-1, 1) behind x under every
shift, and two points of a grid differ by the shift alone.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode, Inputs
from tasks.settings import Law
from tasks.synthetic import Synthetic
from tasks.wrapper import Wrapper

NOISE = 2  # folded into an episode's key; 0 and 1 give the keys of inputs and teacher
NEARLY_ONE = 1 - 2**-24  # float32 draws of u may be -1, where quantiles of unbounded distributions are infinite


@struct.dataclass
class Shift:
    """The numbers of one distribution shift, () each.

    alpha: scale of x. teacher: factor of the teacher. noise: standard deviation of the noise on the targets of the
    context (those of the queries have none). documents: factor of z and of the documents. law: the distribution of x,
    as a position in `Law`.
    """

    alpha: jax.Array
    teacher: jax.Array
    noise: jax.Array
    documents: jax.Array
    law: jax.Array

    @classmethod
    def of(cls, task: Synthetic, alpha=None, teacher=1.0, noise=0.0, documents=1.0, law: Law = Law.uniform) -> "Shift":
        """Return the shift with these numbers; the defaults, with alpha that of the task, shift nothing."""
        numbers = (task.scale if alpha is None else alpha, teacher, noise, documents)
        return cls(*(jnp.asarray(number, float) for number in numbers), law=jnp.asarray(list(Law).index(law)))


def quantile(law: jax.Array, u: jax.Array) -> jax.Array:
    """Map u ~ U(-1, 1) to x of an input distribution.

    All have the second moment 1/3 of U(-1, 1), so that they differ in shape alone. The exponential distribution is
    one-sided, so its mean, 1 / sqrt(6), is not zero; the others are symmetric.

    Args:
        law: () position in `Law`. u: an array of any shape.
    """
    clipped = jnp.clip(u, -NEARLY_ONE, NEARLY_ONE)
    quantiles = {
        Law.uniform: lambda: u,
        Law.normal: lambda: math.sqrt(2 / 3) * jax.lax.erf_inv(clipped),
        Law.exponential: lambda: (math.log(2) - jnp.log1p(-clipped)) / math.sqrt(6),
        Law.laplace: lambda: -jnp.sign(u) * jnp.log1p(-jnp.abs(clipped)) / math.sqrt(6),
    }
    return jax.lax.switch(law, [quantiles[each] for each in Law])


@struct.dataclass
class Shifted(Wrapper, Synthetic):
    """`task` under `shift`, which is a task like any other."""

    task: Synthetic
    shift: Shift

    def inputs(self, key, batch):
        context, query, documents = self.task.inputs(key, batch)

        def moved(inputs: Inputs) -> Inputs:
            return Inputs(self.shift.alpha * quantile(self.shift.law, inputs.x / self.task.scale), scaled(inputs.z))

        def scaled(documents):
            return documents if documents is None else self.shift.documents * documents

        return moved(context), moved(query), scaled(documents)

    def teacher(self, key, batch, documents):
        teacher = self.task.teacher(key, batch, documents)
        return lambda inputs: self.shift.teacher * teacher(inputs)

    def sample(self, key: jax.Array, batch: int) -> Episode:
        episodes = super().sample(key, batch)
        prompt, key_noise = episodes.prompt, jax.random.fold_in(key, NOISE)
        answers = prompt.answers + self.shift.noise * jax.random.normal(key_noise, prompt.answers.shape)
        return dataclasses.replace(episodes, prompt=dataclasses.replace(prompt, answers=answers))
