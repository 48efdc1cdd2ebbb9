"""Every search and every reference on the same users."""

import functools
from typing import NamedTuple

import jax
import numpy as np

from experiments.demonstrations.demonstrations import references
from experiments.demonstrations.demonstrations.methods import LONGER, METHODS, UNION_OF, numbers_of, plan_of
from experiments.demonstrations.demonstrations.settings import Demonstrations
from lab.learners.learner import Learner
from tasks.recommend import Recommend
from trainers.demonstration_search import Numbers, Plan, User, search


class Measured(NamedTuple):
    """searches: {method: {name: (users, rounds)}}. prompts: {name: {measure: (users,)}} of prompts that no search made,
    and of the union. validation, test: Effect_D of random sets, (users, sets)."""

    searches: dict[str, dict[str, np.ndarray]]
    prompts: dict[str, dict[str, np.ndarray]]
    validation: np.ndarray
    test: np.ndarray


def measure_block(
    settings: Demonstrations, learner: Learner, task: Recommend, key: jax.Array, validation: int
) -> Measured:
    """Return what is measured of `settings.eval.block` users, with so many validation queries."""
    key_users, key_search = jax.random.split(key)
    users = draw_users(task, key_users, settings.eval.block)
    searches, sets = {}, {}
    keys_B = jax.random.split(key_search, settings.eval.block)
    for name, method in METHODS.items():
        plan, numbers = plan_of(settings, method, validation), numbers_of(settings, method)
        searches[name], sets[name] = jax.device_get(_search(learner, users, keys_B, numbers, plan))
    union_BxU = sets[UNION_OF].reshape(settings.eval.block, -1)
    counts = (settings.examples, LONGER * settings.examples)
    prompts, effects = _references(learner, users, keys_B, union_BxU, counts, validation, settings.queries)
    return Measured(searches, prompts, *effects)


@functools.partial(jax.jit, static_argnames=("count",))
def draw_users(task: Recommend, key: jax.Array, count: int) -> User:
    """`count` users; of each the pool, and all queries."""
    episodes = task.sample(key, count)
    return User(episodes.prompt, episodes.target)


@functools.partial(jax.jit, static_argnames=("plan",))
def _search(learner: Learner, users: User, keys_B: jax.Array, numbers: Numbers, plan: Plan):
    return jax.vmap(lambda user, key: search(learner, user, key, plan, numbers))(users, keys_B)


@functools.partial(jax.jit, static_argnames=("counts", "validation", "test"))
def _references(learner, users: User, keys_B, union_BxU, counts: tuple[int, ...], validation: int, test: int):
    def of_user(user: User, key: jax.Array, union_U: jax.Array):
        prompts = {
            "union": references.shown(learner, user, union_U, test),
            **references.best_singles(learner, user, counts, validation, test),
            **references.without_search(learner, user, key, counts, test),
        }
        return prompts, references.effects(learner, user, key, counts[0], validation, test)

    return jax.vmap(of_user)(users, keys_B, union_BxU)
