"""Demonstrations that are searched for in a user's past [LRGD], from which the trained `descent` answers.

A demonstration is an item and the next one. `descent` answers from all that a user took before. Here it answers from a
few of these demonstrations, which the search of `trainers.demonstration_search` chooses by the mean Effect_D on the
latest of them, the validation queries; the earlier ones are the pool.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from experiments.recommend.measure import ALL, SAMPLED, Measured, candidates
from experiments.recommend.settings import DemonstrationSearch
from experiments.recommend.splits import Parts
from lab.config.choices import Searching
from lab.learners.learner import Learner
from tasks import ranking
from tasks.episode import Inputs, Prompt
from trainers.demonstration_search import Appended, Numbers, Plan, User, search

ZERO_SHOT = "zero_shot"
METHODS: dict[Searching, tuple[int, Appended]] = {  # paths, and what is appended to those that have collapsed
    Searching.one_path: (1, Appended.nothing),
    Searching.three_paths: (3, Appended.other),
}


@struct.dataclass
class Candidates:
    """The candidates of each query, for answers that score all items. items: (Q, S) their numbers. index: (Q,)."""

    items: jax.Array
    index: jax.Array

    def scores(self, answer_QxC: jax.Array) -> jax.Array:
        """Return the score (Q, S) of each candidate."""
        return jnp.take_along_axis(answer_QxC, self.items, axis=-1)


def measure_searched(
    settings: DemonstrationSearch,
    method: Searching,
    learner: Learner,
    parts: Parts,
    count: int,
    slates_BxS: np.ndarray,
    key: jax.Array,
    chunk: int,
) -> Measured:
    """Return how well a learner ranks the item of each test user from searched demonstrations, as `measure` does.

    Validation queries have as many candidates as the test query, drawn likewise.

    Args:
        parts: all test users have pasts of the same length.
        count: C, the items of the catalogue.
        slates_BxS: the candidates of the test query, the right one first.
        chunk: users searched at a time.
    """
    paths, appended = METHODS[method]
    plan = Plan(paths, settings.proposals, settings.examples, settings.rounds, settings.validation, test=1)
    numbers = Numbers(paths, settings.proposals, int(appended), settings.step, settings.floor, settings.threshold)
    key_slates, key_search = jax.random.split(key)
    right_BxQ = parts.test[:, -settings.validation - 1 :]
    negatives = slates_BxS.shape[1] - 1
    drawn = candidates(key_slates, right_BxQ[:, :-1].ravel(), count, negatives)
    sampled_BxQxS = np.concatenate([drawn.reshape(len(slates_BxS), -1, negatives + 1), slates_BxS[:, None]], axis=1)
    all_BxQxC = np.broadcast_to(np.arange(count), (*right_BxQ.shape, count))
    keys_B = jax.random.split(key_search, len(parts.test))
    measured = {}
    for name, items, index in ((SAMPLED, sampled_BxQxS, np.zeros_like(right_BxQ)), (ALL, all_BxQxC, right_BxQ)):
        blocks = [
            jax.device_get(
                _search(learner, parts.test[b], Candidates(items[b], index[b]), keys_B[b], numbers, plan, count)
            )
            for b in (slice(start, start + chunk) for start in range(0, len(keys_B), chunk))
        ]
        measured[name] = {metric: np.concatenate([block[metric] for block in blocks]) for metric in ranking.METRICS}
    return measured


@functools.partial(jax.jit, static_argnames=("plan", "count"))
def _search(
    learner: Learner,
    items_BxT: jax.Array,
    slates: Candidates,
    keys_B: jax.Array,
    numbers: Numbers,
    plan: Plan,
    count: int,
) -> dict[str, jax.Array]:
    """Return each of `ranking.METRICS` of the test query (B,), with the prompt of the last round."""

    def of_user(items_T: jax.Array, slate: Candidates, key: jax.Array) -> dict[str, jax.Array]:
        rows, _ = search(learner, User(prompt_of(items_T, count, plan.validation + 1), slate), key, plan, numbers)
        return {name: rows[name][-1] for name in ranking.METRICS}

    return jax.vmap(of_user)(items_BxT, slates, keys_B)


def zero_shot(learner: Learner, parts: Parts, count: int) -> np.ndarray:
    """(B, C): what the learner says of all items after each test user's last one, without any demonstration."""
    return np.asarray(jax.device_get(_zero_shot(learner, jnp.asarray(parts.test), count)))


@functools.partial(jax.jit, static_argnames="count")
def _zero_shot(learner: Learner, items_BxT: jax.Array, count: int) -> jax.Array:
    def of_user(items_T: jax.Array) -> jax.Array:
        prompt = prompt_of(items_T, count, queries=1)
        return learner(dataclasses.replace(prompt, visible=jnp.zeros((1, len(prompt.answers)), bool)))[0]

    return jax.vmap(of_user)(items_BxT)


def prompt_of(items_T: jax.Array, count: int, queries: int) -> Prompt:
    """Return the prompt of one user: the last Q transitions are queries, and those before them the demonstrations.

    Args:
        items_T: the items that a user took, up to the one to predict.
        count: C, the items of the catalogue.
        queries: Q, those of the validation and of the test.
    """
    one_hot_TxC = jax.nn.one_hot(items_T, count, dtype=jnp.result_type(float))
    pool = len(items_T) - 1 - queries
    return Prompt(Inputs(one_hot_TxC[:pool]), one_hot_TxC[1 : pool + 1], Inputs(one_hot_TxC[pool:-1]))
