"""Rows of curves.csv for the trainings of a study: the loss of the trained learners on fixed episodes, step by step."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from analysis.tables.columns import Curves
from lab.learners.learner import Learner, predict
from tasks.task import Task
from trainers.population import at
from trainers.session import Session
from trainers.training import CHUNKS, Look

EPISODES = 256  # episodes on which a loss is measured


def loss_of(session: Session, name: str, key: jax.Array, advance: Callable[[], None] = lambda: None) -> Look:
    """Return a function that measures the loss during the training of one member, about `CHUNKS` times.

    Args:
        name: the trained learner's name.
        key: draws the episodes, from the training task.
    """

    def rows(step: int) -> list[dict]:
        loss = _loss(at(session.trained[name], 0), session.task, key, EPISODES)
        advance()
        return [{Curves.STEP: step, "loss": float(loss)}]

    return max(1, -(-session.recipe.steps // CHUNKS)), rows


@functools.partial(jax.jit, static_argnames=("count",))
def _loss(learner: Learner, task: Task, key: jax.Array, count: int) -> jax.Array:
    episodes = task.sample(key, count)
    return jnp.mean(jax.vmap(task.loss)(predict(learner, episodes.prompt), episodes.target))
