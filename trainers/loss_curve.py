"""Rows of curves.csv for the trainings of a study: the loss of what is trained on the same episodes, step by step."""

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

EPISODES = 256  # that a loss is measured on


def loss_of(session: Session, name: str, key: jax.Array, advance: Callable[[], None] = lambda: None) -> Look:
    """Return how to look at a training of one member: its loss, about `CHUNKS` times.

    Args:
        name: of what is trained.
        key: draws the episodes, of the task that it is trained on.
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
