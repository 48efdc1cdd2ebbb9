"""Classification: an answer holds one logit per class, a target is a label, and the loss is cross-entropy in nats."""

import dataclasses
import typing

import jax
import jax.numpy as jnp

from tasks.task import Task


def cross_entropy(answer_QxC: jax.Array, probability_QxC: jax.Array) -> jax.Array:
    """Return the cross-entropy -sum_c p_c log softmax(answer)_c of each query (Q,), in nats."""
    return -jnp.sum(probability_QxC * jax.nn.log_softmax(answer_QxC, axis=-1), axis=-1)


class Classification(Task):
    """A task whose loss is -log softmax(answer)[label], from (Q, C) and (Q,) to (Q,). The context's answers are
    one-hot."""

    def loss(self, answer_QxC: jax.Array, label_Q: jax.Array) -> jax.Array:
        log_probability = jax.nn.log_softmax(answer_QxC, axis=-1)
        return -jnp.take_along_axis(log_probability, label_Q[:, None], axis=-1)[:, 0]

    def scores(self, answer_QxC: jax.Array, label_Q: jax.Array) -> dict[str, jax.Array]:
        """Return `accuracy` (Q,): 1 where the largest logit is that of the label, else 0; NaN where the largest is NaN
        or infinite. A single logit may be -inf."""
        right_Q = (jnp.argmax(answer_QxC, axis=-1) == label_Q).astype(answer_QxC.dtype)
        return {"accuracy": jnp.where(jnp.isfinite(jnp.max(answer_QxC, axis=-1)), right_Q, jnp.nan)}


class InWorld(Classification):
    """A classification whose episodes share something that is drawn once, its world, such as the prototypes of classes.

    `world` is its seed, which is traced (`tasks.settings.a_world`). What a learner learns of its world is one draw. So
    every seed of a run has another one, and errors over seeds are errors over worlds, too.
    """

    world: int

    def of_seed(self, seed: int) -> typing.Self:
        """Return the task in the world of one seed of a run."""
        return dataclasses.replace(self, world=self.world + seed)
