"""One decoder on a batch of test episodes, and the rows of tables that it gives. Every error is over episodes."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from experiments.demonstrations.deep_thinking import results
from experiments.demonstrations.deep_thinking.learner import DeepThinking
from experiments.demonstrations.deep_thinking.results import SCORED
from experiments.demonstrations.deep_thinking.rows import Readings, chosen_rows, gain_rows
from experiments.demonstrations.tables import Writer
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


def over_episodes(name: str, values_SxB: np.ndarray) -> list[dict]:
    """Return the columns of decoders, whose errors are over their episodes."""
    return [mean_over_episodes(name, values_B) for values_B in values_SxB]


DECODER = Writer([{}], over_episodes)  # one at a time; the study adds its seed


def readings_of(
    test: Mapping[str, np.ndarray], validation: Mapping[str, np.ndarray], settings: Sequence[Mapping[str, Any]]
) -> list[Readings]:
    """Return the readings of one decoder, of what `measure` returns of test and validation episodes."""

    def by_count(values_BxRxT: np.ndarray, r: int) -> np.ndarray:
        return values_BxRxT[:, r].astype(np.float64).T[None]

    return [
        Readings(setting, *(by_count(values, r) for values in (test["right"], test["losses"], validation["right"])))
        for r, setting in enumerate(settings)
    ]


def protocol_rows(test: Mapping[str, np.ndarray], readings: Sequence[Readings], scored: Sequence[int]) -> list[dict]:
    """Return the rows of a decoder's protocols.

    `best_per_task`: the source's, the best number for each task on the queries that are scored; `fresh`: that number on
    the task's other queries. `again`, `twice`, `zero_shot`: the controls of `measure`.
    """
    rows = []
    for r, each in enumerate(readings):
        rows += chosen_rows(DECODER, each, results.COMMON, {SCORED: None})
        fresh_BxT = test["fresh"][:, r].astype(np.float64)
        for number, count in enumerate(scored):
            scored_BxT = test["scored"][:, r, :, number].astype(np.float64)
            best_B = np.argmax(scored_BxT, axis=1)[:, None]
            for name, part in ((results.PER_TASK, scored_BxT), (results.FRESH, fresh_BxT)):
                gain_B = np.take_along_axis(part, best_B, axis=1)[:, 0] - part[:, 0]
                rows += gain_rows(DECODER, name, gain_B[None], each.setting, further={SCORED: count})
    nothing = dict.fromkeys((*readings[0].setting,))
    for name in (results.AGAIN, results.TWICE, results.ZERO_SHOT):
        gain_SxB = test[name].astype(np.float64)[None] - readings[0].one_SxU
        rows += gain_rows(DECODER, name, gain_SxB, nothing, further={SCORED: None})
    return rows


def task_rows(test: Mapping[str, np.ndarray], scored: Sequence[int]) -> list[dict]:
    """Return one row per test episode: tasks.csv."""
    most = int(np.argmax(scored))
    right = (test["scored"][:, 0, :, most], test["fresh"][:, 0])
    losses = (test["losses_scored"][:, 0], test["losses_fresh"][:, 0])
    gains = [part[:, -1] - part[:, 0] for part in right] + [part[:, 0] - part[:, -1] for part in losses]
    norm_B = np.sqrt(np.sum(test["norms"][:, 0, 1] ** 2, axis=1, dtype=np.float64))
    names = (results.gain_scored, results.gain_fresh, results.nats_scored, results.nats_fresh, results.first_update,
             results.entropy)  # fmt: skip
    columns = dict(zip(names, (*gains, norm_B, test["entropy"]), strict=True))
    return [
        {results.EPISODE: float(b)} | {column.name: float(values[b]) for column, values in columns.items()}
        for b in range(len(norm_B))
    ]
