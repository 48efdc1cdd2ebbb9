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

from experiments.recommendation.recommend.measure import Measured, candidates, measure
from experiments.recommendation.recommend.results import ALL, EXAMPLES, SAMPLED
from experiments.recommendation.recommend.settings import DemonstrationSearch
from experiments.recommendation.recommend.splits import Parts
from lab.config.choices import SearchMethod
from lab.learners.learner import Learner
from tasks import ranking
from tasks.episode import Inputs, Prompt
from trainers.demonstration_search import Appended, Numbers, Plan, User, answers, answers_without_any, search

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


@dataclasses.dataclass(frozen=True)
class Pasts:
    """The pasts of test users, all of one length, and the learner that answers from demonstrations of them.

    count: C, the items of the catalogue. slates_BxS: the candidates of the test query, the right one first. chunk:
    users that are searched at a time.
    """

    search: DemonstrationSearch
    learner: Learner
    parts: Parts
    count: int
    slates_BxS: np.ndarray
    chunk: int

    def searched(self, method: SearchMethod, key: jax.Array) -> Measured:
        """Return how well the learner ranks each user's item from searched demonstrations, as `measure` does.

        Validation queries have as many candidates as the test query, drawn likewise. `examples` is how many
        demonstrations the last prompt has.
        """
        search, test, count = self.search, self.parts.test, self.count
        paths, appended = METHODS[method]
        plan = Plan(paths, search.proposals, search.examples, search.rounds, search.validation, test=1)
        numbers = Numbers(paths, search.proposals, int(appended), search.step, search.floor, search.threshold)
        key_slates, key_search = jax.random.split(key)
        right_BxQ = test[:, -search.validation - 1 :]
        negatives = self.slates_BxS.shape[1] - 1
        validation_BVxS = candidates(key_slates, right_BxQ[:, :-1].ravel(), count, negatives)
        validation_BxVxS = validation_BVxS.reshape(len(test), -1, negatives + 1)
        sampled_BxQxS = np.concatenate([validation_BxVxS, self.slates_BxS[:, None]], axis=1)
        all_BxQxC = np.broadcast_to(np.arange(count), (*right_BxQ.shape, count))
        keys_B = jax.random.split(key_search, len(test))
        measured = {}
        for name, items, index in ((SAMPLED, sampled_BxQxS, np.zeros_like(right_BxQ)), (ALL, all_BxQxC, right_BxQ)):
            blocks = []
            for users in self._chunks():
                slates = CatalogueSlate(jnp.asarray(items[users]), jnp.asarray(index[users]))
                rows = _search(self.learner, jnp.asarray(test[users]), slates, keys_B[users], numbers, plan, count)
                blocks.append(jax.device_get(rows))
            measured[name] = {each: np.concatenate([block[each] for block in blocks]) for each in blocks[0]}
        return measured

    def unsearched(self, key: jax.Array) -> dict[str, Measured]:
        """Return the same of prompts that no search made, by name."""
        test, examples = self.parts.test, self.search.examples
        pool = test.shape[1] - 2 - self.search.validation
        order_BxM = jax.vmap(lambda key: jax.random.permutation(key, pool))(jax.random.split(key, len(test)))
        measured = {}
        for name, length in (("zero_shot", 0), ("random", examples), ("random_twice", 2 * examples), ("pool", pool)):
            blocks = [
                jax.device_get(
                    _answered(self.learner, jnp.asarray(test[users]), order_BxM[users, :length], pool, self.count)
                )
                for users in self._chunks()
            ]
            measured[name] = measure(np.concatenate(blocks), self.parts.target, self.slates_BxS)
            for values in measured[name].values():
                values[EXAMPLES] = np.full(len(test), float(length))
        return measured

    def _chunks(self) -> Iterator[slice]:
        return (slice(start, start + self.chunk) for start in range(0, len(self.parts.test), self.chunk))


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
        return {name: rows[name][-1] for name in (*ranking.METRICS, EXAMPLES)}

    return jax.vmap(of_user)(items_BxT, slates, keys_B)


@functools.partial(jax.jit, static_argnames=("pool", "count"))
def _answered(learner: Learner, items_BxT: jax.Array, chosen_BxN: jax.Array, pool: int, count: int) -> jax.Array:
    """Return what the learner says of all items (B, C) from these demonstrations of each user's pool."""

    def of_user(items_T: jax.Array, chosen_N: jax.Array) -> jax.Array:
        prompt = prompt_of(items_T, count, len(items_T) - 1 - pool)
        prompt = dataclasses.replace(prompt, query=jax.tree.map(lambda leaf: leaf[-1:], prompt.query))
        if not len(chosen_N):
            return answers_without_any(learner, prompt)[0]
        return answers(learner, prompt, chosen_N)[0]

    return jax.vmap(of_user)(items_BxT, chosen_BxN)


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
