"""One decoder on a batch of episodes: how well it answers the same queries with each set of demonstrations."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.effect import effect
from experiments.demonstrations.demonstration_choice.path import ranks_along, steps_to_first
from lab.learners.decoder import Decoder
from lab.learners.zero_shot import ZeroShot
from tasks.classification import Classification

Measured = dict[str, np.ndarray]  # {score: (B, M, Q)}, and "zero_shot": (B, Q)


@functools.partial(jax.jit, static_argnames=("count", "sets", "followed"))
def measure(
    model: Decoder, task: Classification, key: jax.Array, count: int, sets: int, followed: tuple[int, int]
) -> dict[str, jax.Array]:
    """`count` episodes whose contexts are cut into `sets` sets of demonstrations, so all from the same classes.

    Args:
        followed: the first of the queries that are followed along the path of the dual models, and the end of them.

    Returns:
        `effect`, `accuracy` and `loss` of each query with each set, (count, sets, Q), and its accuracy without any
        demonstrations, `zero_shot` (count, Q). Means over the queries that are followed: the `rank` of the right class
        after 0 .. N demonstrations (count, sets, N + 1), and after how many it is the first, `steps` (count, sets).
    """
    episodes = task.sample(key, count)

    def one_episode(prompt, label_Q):
        def one_set(context, answers):
            one_prompt = prompt.replace(context=context, answers=answers, visible=None)
            answer_QxC = model(one_prompt)
            query = jax.tree.map(lambda leaf: leaf[slice(*followed)], prompt.query)
            ranks_NxP = ranks_along(model, one_prompt.replace(query=query), label_Q[slice(*followed)])
            return {
                "effect": effect(answer_QxC, label_Q),
                "accuracy": task.scores(answer_QxC, label_Q)["accuracy"],
                "loss": task.loss(answer_QxC, label_Q),
                "rank": jnp.mean(ranks_NxP, axis=1),
                "steps": jnp.mean(steps_to_first(ranks_NxP)),
            }

        examples = (prompt.context, prompt.answers)
        by_set = jax.vmap(one_set)(*jax.tree.map(lambda leaf: leaf.reshape(sets, -1, leaf.shape[-1]), examples))
        return by_set | {"zero_shot": task.scores(ZeroShot(model)(prompt), label_Q)["accuracy"]}

    return jax.vmap(one_episode)(episodes.prompt, episodes.target)
