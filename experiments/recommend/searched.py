"""Demonstrations that are searched for in a user's past [LRGD], from which the trained `descent` answers.

A demonstration is an item and the next one. `descent` answers from all that a user took before. Here it answers from a
few of these demonstrations, which the search of `trainers.demonstration_search` chooses by the mean Effect_D on the
latest of them, the validation queries; the earlier ones are the pool. The learner was trained on both, as every
recommender here is trained on all but the last items. Prompts that no search made are of random demonstrations, as many
as a set has and twice as many (as a perturbed path's prompt has), of the whole pool, and of none.
"""

import dataclasses
import functools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from experiments.recommend.columns import Learners
from experiments.recommend.measure import ALL, SAMPLED, Measured, candidates, measure
from experiments.recommend.settings import DemonstrationSearch
from experiments.recommend.splits import Parts
from lab.config.choices import SearchMethod
from lab.learners.learner import Learner
from tasks import ranking
from tasks.episode import Inputs, Prompt
from trainers.demonstration_search import Appended, Numbers, Plan, User, answers, search

METHODS: dict[SearchMethod, tuple[int, Appended]] = {  # paths, and what is appended to those that have collapsed
    SearchMethod.one_path: (1, Appended.nothing),
    SearchMethod.three_paths: (3, Appended.other),
}


@struct.dataclass
class CatalogueSlate:
    """The candidates of each query, for answers that score all items. items: (Q, S) their numbers. index: (Q,)."""

    items: jax.Array
    index: jax.Array

    def scores(self, answer_QxC: jax.Array) -> jax.Array:
        """Return the score (Q, S) of each candidate."""
        return jnp.take_along_axis(answer_QxC, self.items, axis=-1)


def measure_searched(
    settings: DemonstrationSearch,
    method: SearchMethod,
    learner: Learner,
    parts: Parts,
    count: int,
    slates_BxS: np.ndarray,
    key: jax.Array,
    chunk: int,
) -> Measured:
    """Return how well a learner ranks the item of each test user from searched demonstrations, as `measure` does.

    Validation queries have as many candidates as the test query, drawn likewise. `Learners.EXAMPLES` is how many
    demonstrations the last prompt has.

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
    validation_BVxS = candidates(key_slates, right_BxQ[:, :-1].ravel(), count, negatives)
    validation_BxVxS = validation_BVxS.reshape(len(slates_BxS), -1, negatives + 1)
    sampled_BxQxS = np.concatenate([validation_BxVxS, slates_BxS[:, None]], axis=1)
    all_BxQxC = np.broadcast_to(np.arange(count), (*right_BxQ.shape, count))
    keys_B = jax.random.split(key_search, len(parts.test))
    measured = {}
    for name, items, index in ((SAMPLED, sampled_BxQxS, np.zeros_like(right_BxQ)), (ALL, all_BxQxC, right_BxQ)):
        blocks = []
        for part in _chunks(len(keys_B), chunk):
            slates = CatalogueSlate(jnp.asarray(items[part]), jnp.asarray(index[part]))
            blocks.append(
                jax.device_get(
                    _search(learner, jnp.asarray(parts.test[part]), slates, keys_B[part], numbers, plan, count)
                )
            )
        measured[name] = {each: np.concatenate([block[each] for block in blocks]) for each in blocks[0]}
    return measured


@functools.partial(jax.jit, static_argnames=("plan", "count"))
def _search(
    learner: Learner,
    items_BxT: jax.Array,
    slates: CatalogueSlate,
    keys_B: jax.Array,
    numbers: Numbers,
    plan: Plan,
    count: int,
) -> dict[str, jax.Array]:
    """Return each of `ranking.METRICS` of the test query (B,) with the prompt of the last round, and its length."""

    def of_user(items_T: jax.Array, slate: CatalogueSlate, key: jax.Array) -> dict[str, jax.Array]:
        user = User(prompt_of(items_T, count, plan.validation + 1), slate)
        rows, _ = search(learner, user, key, plan, numbers)
        return {name: rows[name][-1] for name in (*ranking.METRICS, Learners.EXAMPLES)}

    return jax.vmap(of_user)(items_BxT, slates, keys_B)


def measure_unsearched(
    settings: DemonstrationSearch,
    learner: Learner,
    parts: Parts,
    count: int,
    slates_BxS: np.ndarray,
    key: jax.Array,
    chunk: int,
) -> dict[str, Measured]:
    """Return the same of prompts that no search made, by name. For the arguments see `measure_searched`."""
    pool = parts.test.shape[1] - 2 - settings.validation
    order_BxM = jax.vmap(lambda key: jax.random.permutation(key, pool))(jax.random.split(key, len(parts.test)))
    measured = {}
    for name, examples in (
        ("zero_shot", 0),
        ("random", settings.examples),
        ("random_twice", 2 * settings.examples),
        ("pool", pool),
    ):
        blocks = [
            jax.device_get(_shown(learner, jnp.asarray(parts.test[part]), order_BxM[part], examples, pool, count))
            for part in _chunks(len(parts.test), chunk)
        ]
        measured[name] = measure(np.concatenate(blocks), parts.target, slates_BxS)
        for values in measured[name].values():
            values[Learners.EXAMPLES] = np.full(len(parts.test), float(examples))
    return measured


@functools.partial(jax.jit, static_argnames=("examples", "pool", "count"))
def _shown(
    learner: Learner, items_BxT: jax.Array, order_BxM: jax.Array, examples: int, pool: int, count: int
) -> jax.Array:
    """Return what the learner says of all items (B, C) from the first demonstrations of an order of the pool."""

    def of_user(items_T: jax.Array, order_M: jax.Array) -> jax.Array:
        prompt = prompt_of(items_T, count, len(items_T) - 1 - pool)
        query = jax.tree.map(lambda leaf: leaf[-1:], prompt.query)
        visible = None if examples else jnp.zeros((1, 1), bool)  # the prompt's one demonstration is hidden
        prompt = dataclasses.replace(prompt, query=query, visible=visible)
        return answers(learner, prompt, order_M[: max(examples, 1)])[0]

    return jax.vmap(of_user)(items_BxT, order_BxM)


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


def _chunks(users: int, chunk: int) -> Iterator[slice]:
    return (slice(start, start + chunk) for start in range(0, users, chunk))
