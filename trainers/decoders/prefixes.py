"""Answers and errors of learners after every number of examples."""

import functools

import jax

from lab.learners.learner import Learner
from tasks.episode import Episode
from tasks.functions.function import FunctionClass

CHUNK = 250  # episodes at a time


@functools.partial(jax.jit, static_argnames="count")
def episodes_of(task: FunctionClass, key: jax.Array, count: int) -> Episode:
    """`count` episodes, which the key draws."""
    return task.sample(key, count)


@jax.jit
def answers(learner: Learner, episodes: Episode) -> jax.Array:
    """(B, Q, A); some episodes at a time."""
    return jax.lax.map(learner, episodes.prompt, batch_size=CHUNK)


@jax.jit
def errors(task: FunctionClass, answer_BxQxA: jax.Array, target) -> jax.Array:
    """The loss divided by that of the answer 0, (B, Q)."""
    return jax.vmap(task.loss)(answer_BxQxA, target) / task.zero_loss
