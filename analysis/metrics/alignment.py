"""Comparing two learners as functions, over episodes [RAG-GD section 3; design 2.7].

Every metric is one number per episode (B,), so that means have standard errors and differences are paired.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from lab.learners.learner import Learner, readouts
from tasks.episode import Episode, Inputs, Prompt
from tasks.task import Task


@struct.dataclass
class Answers:
    """A learner's answers to B prompts: predictions (B, Q, A), their gradients (B, Q, A, I) in the query's inputs, and
    the read-outs (B, L, Q, A) after each layer or step, of which the last is the prediction."""

    prediction: jax.Array
    sensitivity: jax.Array
    readouts: jax.Array


def answers(learner: Learner, prompts: Prompt) -> Answers:
    """I is the width of the distinct inputs, x and, where the task has it, z: copies in a token move together."""

    def one_query(query: Inputs, visible: jax.Array | None, prompt: Prompt):
        query, visible = jax.tree.map(lambda a: a[None], (query, visible))
        readouts_LxA = readouts(learner, prompt.replace(query=query, visible=visible))[:, 0]
        return readouts_LxA[-1], readouts_LxA

    def one_prompt(prompt: Prompt):
        gradient = jax.jacrev(one_query, has_aux=True)
        by_input, readouts_QxLxA = jax.vmap(gradient, in_axes=(0, 0, None))(prompt.query, prompt.visible, prompt)
        by_input_QxAxI = jnp.concatenate(jax.tree.leaves(by_input), axis=-1)
        return Answers(readouts_QxLxA[:, -1], by_input_QxAxI, jnp.swapaxes(readouts_QxLxA, 0, 1))

    return jax.vmap(one_prompt)(prompts)


def losses(task: Task, prediction_BxQxA: jax.Array, episodes: Episode) -> jax.Array:
    """(B,): the task's loss of each episode, averaged over its queries."""
    return jnp.mean(jax.vmap(task.loss)(prediction_BxQxA, episodes.target), axis=-1)


def align(a: Answers, b: Answers) -> dict[str, jax.Array]:
    """Each (B,): `prediction_l2` ||A - B||, `sensitivity_l2` ||dA - dB|| and `sensitivity_cosine` cos(dA, dB), averaged
    over the queries of an episode. A zero gradient has no direction: its cosine is NaN, to be left out and counted.
    """
    da, db = (s.reshape(*s.shape[:2], -1) for s in (a.sensitivity, b.sensitivity))
    norms = jnp.linalg.norm(da, axis=-1) * jnp.linalg.norm(db, axis=-1)
    cosine = jnp.where(norms > 0, jnp.sum(da * db, axis=-1) / jnp.where(norms > 0, norms, 1.0), jnp.nan)
    return {
        "prediction_l2": jnp.mean(jnp.linalg.norm(a.prediction - b.prediction, axis=-1), axis=-1),
        "sensitivity_cosine": jnp.mean(cosine, axis=-1),
        "sensitivity_l2": jnp.mean(jnp.linalg.norm(da - db, axis=-1), axis=-1),
    }


def mean_and_error(values_B: np.ndarray) -> dict[str, np.ndarray]:
    """Mean over the episodes that have a value (are not NaN), its standard error, and how many were left out; in double
    precision, on the host. NaN where no episode has one; of a single one the error is 0."""
    values = np.asarray(values_B, np.float64)
    kept = values[~np.isnan(values)]
    with np.errstate(invalid="ignore", over="ignore"):  # infinite losses are for the caller to see
        mean = kept.mean() if kept.size else np.float64(np.nan)
        spread = np.sqrt(np.sum((kept - mean) ** 2) / max(kept.size - 1, 1))
    return {
        "mean": mean,
        "stderr": spread / np.sqrt(kept.size) if kept.size else mean,
        "left_out": np.int64(values.size - kept.size),
    }
