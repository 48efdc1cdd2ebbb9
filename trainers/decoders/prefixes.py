"""Answers and errors of learners on classes of functions, after every number of examples."""

import functools

import jax

from lab.learners.learner import Learner
from tasks.episode import Episode
from tasks.functions.function import FunctionClass

CHUNK = 250  # episodes that are answered at a time


@functools.partial(jax.jit, static_argnames="count")
def episodes_of(task: FunctionClass, key: jax.Array, count: int) -> Episode:
    """Return `count` episodes, which the key draws."""
    return task.sample(key, count)


@jax.jit
def answers(learner: Learner, episodes: Episode) -> jax.Array:
    """Return the learner's answers (B, Q, A) to the queries of B episodes."""
    return jax.lax.map(learner, episodes.prompt, batch_size=CHUNK)


@jax.jit
def errors(task: FunctionClass, answer_BxQxA: jax.Array, target) -> jax.Array:
    """Return the losses of answers divided by the mean loss of the answer 0, (B, Q).

    With the exact Bayes answers to real functions as the target these are squared distances from them, divided by
    E f^2. The exact answer is the mean of f given the examples, so the mean error of any answer is this distance plus
    the error of the exact one, which no learner can lower: the distance alone is what is left to learn.
    """
    return jax.vmap(task.loss)(answer_BxQxA, target) / task.zero_loss
