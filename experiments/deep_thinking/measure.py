"""One decoder on a batch of episodes: whether each query is right after each iteration, for a grid of rates."""

import dataclasses
import functools

import jax
import jax.numpy as jnp

from lab.learners.decoder import Decoder
from lab.learners.deep_thinking import DeepThinking
from lab.learners.zero_shot import ZeroShot
from tasks.episode import Prompt
from tasks.task import Task


@functools.partial(jax.jit, static_argnames=("count", "iterations", "offset"))
def measure(
    model: Decoder, task: Task, key: jax.Array, eta_R: jax.Array, beta_R: jax.Array, count: int, iterations: int, offset
) -> dict[str, jax.Array]:
    """`count` episodes, with R pairs of rate and momentum side by side in one program.

    Returns:
        `right` (count, R, T, Q) and `losses` (count, R, T, Q) after each iteration, `norms` (count, R, T, L) of the
        updates, and three controls, (count, Q): `again`, one whole re-reading (eta = 1, beta = 0, two iterations),
        `twice`, in-context learning from a context that shows every example twice, and `zero_shot`, from no examples.
    """
    episodes = task.sample(key, count)
    prompts = dataclasses.replace(episodes.prompt, visible=None)

    def one_episode(prompt: Prompt, target):
        def one_pair(eta, beta):
            learner = DeepThinking(model, iterations, eta, beta, offset)
            thought = learner.think(prompt)
            answers_TxQxC = jax.vmap(lambda *context: learner.answer(prompt, context))(thought.keys, thought.values)
            right = jax.vmap(lambda answer: task.scores(answer, target)["accuracy"])(answers_TxQxC)
            return right, jax.vmap(lambda answer: task.loss(answer, target))(answers_TxQxC), thought.norms

        right, losses, norms = jax.vmap(one_pair)(eta_R, beta_R)
        doubled = jax.tree.map(lambda leaf: jnp.tile(leaf, (2, 1)), (prompt.context, prompt.answers))
        controls = {
            "again": DeepThinking(model, 2, 1.0, 0.0, offset).readouts(prompt)[-1],
            "twice": model(dataclasses.replace(prompt, context=doubled[0], answers=doubled[1])),
            "zero_shot": ZeroShot(model)(prompt),
        }
        scored = {name: task.scores(answer, target)["accuracy"] for name, answer in controls.items()}
        return {"right": right, "losses": losses, "norms": norms} | scored

    return jax.vmap(one_episode)(prompts, episodes.target)
