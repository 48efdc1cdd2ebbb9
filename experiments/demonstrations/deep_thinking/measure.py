"""One decoder on a batch of episodes: whether each query is right after each iteration, for a grid of rates."""

import dataclasses
import functools

import jax
import jax.numpy as jnp

from experiments.demonstrations.deep_thinking.learner import DeepThinking
from lab.learners.decoder import Decoder
from lab.learners.decoder_block import KeyValues
from tasks.classification import Classification, cross_entropy
from tasks.episode import Prompt


@functools.partial(jax.jit, static_argnames=("count", "iterations", "scored", "fresh", "offset"))
def measure(
    model: Decoder, task: Classification, key: jax.Array, eta_R: jax.Array, beta_R: jax.Array, count: int,
    iterations: int, scored: tuple[int, ...], fresh: int, offset: bool
) -> dict[str, jax.Array]:  # fmt: skip
    """`count` episodes, with R pairs of rate and momentum side by side in one program.

    Args:
        scored: numbers of queries, each of which is the first ones of the episode.
        fresh: the number of further queries, behind all of these.

    Returns:
        Means over queries, after each iteration: accuracies on all queries, `right` (count, R, T), on the scored ones,
        `scored` (count, R, T, len(scored)), and on the fresh ones, `fresh` (count, R, T); and losses on all queries,
        `losses`, on the fresh ones, `losses_fresh`, and if there are others on these, `losses_scored`, (count, R, T).
        `norms` (count, R, T, L) of the updates, and `entropy` (count,) of the answers after one reading. Accuracies of
        three controls, (count,): `again`, one whole re-reading (eta = 1, beta = 0, two iterations), `twice`, in-context
        learning from a context that shows every example twice, and `zero_shot`, from no examples.
    """
    task = dataclasses.replace(task, num_queries=max(scored, default=0) + fresh)
    episodes = task.sample(key, count)
    prompts = dataclasses.replace(episodes.prompt, visible=None)

    def one_episode(prompt: Prompt, target):
        def one_pair(eta, beta):
            learner = DeepThinking(model, iterations, eta, beta, offset)
            thought = learner.think(prompt)

            def after_one(context: KeyValues) -> tuple[jax.Array, jax.Array]:
                answers_QxC = learner.inner.answer(prompt, context)
                return task.scores(answers_QxC, target)["accuracy"], task.loss(answers_QxC, target)

            # one after the other: with many queries their answers take most of the memory
            right_TxQ, losses_TxQ = jax.lax.map(after_one, (thought.keys, thought.values))
            each = [jnp.mean(right_TxQ[:, :number], axis=1) for number in scored]
            return {
                "right": jnp.mean(right_TxQ, axis=1),
                "scored": jnp.stack(each, axis=1) if each else jnp.zeros((iterations, 0)),
                "fresh": jnp.mean(right_TxQ[:, -fresh:], axis=1),
                "losses": jnp.mean(losses_TxQ, axis=1),
                "losses_fresh": jnp.mean(losses_TxQ[:, -fresh:], axis=1),
                "norms": thought.norms,
                **({"losses_scored": jnp.mean(losses_TxQ[:, :-fresh], axis=1)} if scored else {}),
            }

        by_pair = jax.vmap(one_pair)(eta_R, beta_R)
        plain_QxC = one_reading(model, prompt)
        examples = (prompt.context, prompt.answers)
        doubled = jax.tree.map(lambda leaf: jnp.tile(leaf, (2, 1)), examples)
        nothing = jax.tree.map(lambda leaf: leaf[:0], examples)
        controls = {
            "again": DeepThinking(model, 2, 1.0, 0.0, offset).readouts(prompt)[-1],
            "twice": one_reading(model, dataclasses.replace(prompt, context=doubled[0], answers=doubled[1])),
            "zero_shot": one_reading(model, dataclasses.replace(prompt, context=nothing[0], answers=nothing[1])),
        }
        means = {name: jnp.mean(task.scores(answer, target)["accuracy"]) for name, answer in controls.items()}
        entropy = jnp.mean(cross_entropy(plain_QxC, jax.nn.softmax(plain_QxC, axis=-1)))
        return by_pair | means | {"entropy": entropy}

    return jax.vmap(one_episode)(prompts, episodes.target)


def one_reading(model: Decoder, prompt: Prompt) -> jax.Array:
    """Return the answers in context (Q, C). Queries do not see each other, so their scores are few however many they
    are."""
    return DeepThinking(model, 1, 0.0, 0.0).readouts(prompt)[-1]
