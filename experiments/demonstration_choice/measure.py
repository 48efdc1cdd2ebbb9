"""One decoder on a batch of episodes: how well it answers the same queries with each set of demonstrations."""

import functools

import jax
import numpy as np

from analysis.metrics.effect import effect
from lab.learners.decoder import Decoder
from lab.learners.zero_shot import ZeroShot
from tasks.classification import Classification

Measured = dict[str, np.ndarray]  # {score: (B, M, Q)}, and "zero_shot": (B, Q)


@functools.partial(jax.jit, static_argnames=("count", "sets"))
def measure(model: Decoder, task: Classification, key: jax.Array, count: int, sets: int) -> dict[str, jax.Array]:
    """`count` episodes whose contexts are cut into `sets` sets of demonstrations, so all from the same classes.

    Returns:
        `effect`, `accuracy` and `loss` of each query with each set, (count, sets, Q), and its accuracy without any
        demonstrations, `zero_shot` (count, Q).
    """
    episodes = task.sample(key, count)

    def one_episode(prompt, label_Q):
        def one_set(context, answers):
            answer_QxC = model(prompt.replace(context=context, answers=answers, visible=None))
            return {
                "effect": effect(answer_QxC, label_Q),
                "accuracy": task.scores(answer_QxC, label_Q)["accuracy"],
                "loss": task.loss(answer_QxC, label_Q),
            }

        examples = (prompt.context, prompt.answers)
        by_set = jax.vmap(one_set)(*jax.tree.map(lambda leaf: leaf.reshape(sets, -1, leaf.shape[-1]), examples))
        return by_set | {"zero_shot": task.scores(ZeroShot(model)(prompt), label_Q)["accuracy"]}

    return jax.vmap(one_episode)(episodes.prompt, episodes.target)
