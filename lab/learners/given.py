"""Learners whose answers were found beforehand, and are given whatever examples a prompt shows."""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Fixed, Learner
from tasks.episode import Prompt
from tasks.task import Task


class Constant(Learner):
    """Answers every query by `value` (A,), such as the mean target."""

    honours_visible = True

    def __init__(self, value: jax.Array):
        self.value = Fixed(jnp.asarray(value))

    def __call__(self, prompt: Prompt) -> jax.Array:
        value_A = self.value[...]
        return jnp.broadcast_to(value_A, (len(prompt.query.x), *value_A.shape))


class Bigram(Learner):
    """A Markov chain whose transitions were counted: row i of `logits` (C, C) where the query shows symbol i."""

    honours_visible = True

    def __init__(self, logits: jax.Array):
        self.logits = Fixed(logits)

    def __call__(self, prompt: Prompt) -> jax.Array:
        return prompt.query.x @ self.logits[...]


class Optimal(Learner):
    """Answers by the task's `optimal`; a call raises NotImplementedError if the task has no known optimal answer."""

    honours_visible = True

    def __init__(self, task: Task):
        self.task = nnx.data(task)

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.task.optimal(prompt)
