"""The answer from how often each symbol has been seen, whatever came before it.

A decoder that is no better has not learned which symbol follows which.
"""

import jax
import jax.numpy as jnp

from tasks.episode import Episode
from tasks.task import Task

SMOOTHING = (
    0.1,
    0.3,
    1.0,
    3.0,
    10.0,
    30.0,
    100.0,
)  # added to each count; the best of them on the same sequences counts


def loss_by_frequencies(task: Task, episodes: Episode) -> jax.Array:
    """Return the mean loss of the answer log(n_j + b) for symbol j, where n_j counts the symbols so far, in nats.

    Args:
        episodes: of sequences (`tasks.symbols`).
    """
    prompt = episodes.prompt
    assert prompt.visible is not None
    later_BxNxC = prompt.visible.astype(prompt.answers.dtype) @ prompt.answers
    count_BxNxC = later_BxNxC + prompt.context.x[:, :1]  # the first symbol is no transition's second one

    def loss(smoothing: jax.Array) -> jax.Array:
        return jnp.mean(jax.vmap(task.loss)(jnp.log(count_BxNxC + smoothing), episodes.target))

    return jnp.min(jax.lax.map(loss, jnp.array(SMOOTHING)))
