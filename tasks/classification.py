"""Classification: an answer holds a logit per class, a target is a label, and the loss is cross-entropy in nats."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from tasks.task import Task


def cross_entropy(answer_QxC: jax.Array, probability_QxC: jax.Array) -> jax.Array:
    """-sum_c p_c log softmax(answer)_c (Q,), in nats."""
    return -jnp.sum(probability_QxC * jax.nn.log_softmax(answer_QxC, axis=-1), axis=-1)


class Classification(Task):
    """A task whose loss is -log softmax(answer)[label]: (Q, C), (Q,) -> (Q,). The context's answers are one-hot."""

    loss_name: ClassVar[str] = "cross-entropy (nats)"

    def loss(self, answer_QxC: jax.Array, label_Q: jax.Array) -> jax.Array:
        log_probability = jax.nn.log_softmax(answer_QxC, axis=-1)
        return -jnp.take_along_axis(log_probability, label_Q[:, None], axis=-1)[:, 0]

    def scores(self, answer_QxC: jax.Array, label_Q: jax.Array) -> dict[str, jax.Array]:
        """`accuracy`: 1 where the largest logit is that of the label; NaN where the answer is no number."""
        right_Q = (jnp.argmax(answer_QxC, axis=-1) == label_Q).astype(answer_QxC.dtype)
        return {"accuracy": jnp.where(jnp.any(jnp.isnan(answer_QxC), axis=-1), jnp.nan, right_Q)}
