"""Distribution shift: any regression task, drawn otherwise at test time than it was in training.

Every number of a `Shift` is traced, so that one compiled program evaluates a whole grid of them. The wrapped task draws
its inputs as it always does, and the shift maps them, so the same key gives the same u ~ U(-1, 1) behind x under every
shift: what differs between two points of a grid is the shift alone.
"""

import math

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode, Inputs
from tasks.settings import Law
from tasks.synthetic import Synthetic
from tasks.wrapper import Wrapper

NEARLY_ONE = 1 - 2**-24  # float32 draws of u may be -1, where quantiles of unbounded distributions are infinite


@struct.dataclass
class Shift:
    """alpha: scale of x. teacher: factor of the teacher. noise: standard deviation of what is added to the context's
    targets (the query's has none). documents: factor of z and of documents. law: the input distribution, that of x, as
    a position in `Law`."""

    alpha: jax.Array
    teacher: jax.Array
    noise: jax.Array
    documents: jax.Array
    law: jax.Array

    @classmethod
    def of(cls, task: Synthetic, alpha=None, teacher=1.0, noise=0.0, documents=1.0, law: Law = Law.uniform) -> "Shift":
        """No shift but for what is given; alpha is the task's own unless given."""
        numbers = (task.scale if alpha is None else alpha, teacher, noise, documents)
        return cls(*(jnp.asarray(number, float) for number in numbers), law=jnp.asarray(list(Law).index(law)))


def quantile(law: jax.Array, u: jax.Array) -> jax.Array:
    """u ~ U(-1, 1) -> x of that input distribution. All have the second moment 1/3 of U(-1, 1), so that they differ in
    shape alone.

    The exponential distribution is one-sided, so its mean, 1 / sqrt(6), is not zero; the others are symmetric.
    """
    inside = jnp.clip(u, -NEARLY_ONE, NEARLY_ONE)
    quantiles = {
        Law.uniform: lambda: u,
        Law.normal: lambda: math.sqrt(2 / 3) * jax.lax.erf_inv(inside),
        Law.exponential: lambda: (math.log(2) - jnp.log1p(-inside)) / math.sqrt(6),
        Law.laplace: lambda: -jnp.sign(u) * jnp.log1p(-jnp.abs(inside)) / math.sqrt(6),
    }
    return jax.lax.switch(law, [quantiles[each] for each in Law])


@struct.dataclass
class Shifted(Wrapper, Synthetic):
    """The task under the shift: a task like any other."""

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
        unused = jax.random.fold_in(key, 2)  # folding in 0 and 1 gives the keys of inputs and teacher
        prompt = episodes.prompt
        noise = jax.random.normal(unused, prompt.answers.shape)
        return episodes.replace(prompt=prompt.replace(answers=prompt.answers + self.shift.noise * noise))
