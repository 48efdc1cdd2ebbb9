"""Every search and every reference on the same users."""

import dataclasses
import functools
from collections.abc import Callable

import jax
import numpy as np

from lab.config.demonstrations import Demonstrations
from lab.learners.learner import Learner
from tasks.recommend import Recommend
from trainers.experiments.demonstrations import references
from trainers.experiments.demonstrations.methods import LONGER, METHODS, UNION_OF, numbers_of, plan_of
from trainers.experiments.demonstrations.search import Numbers, Plan, User, search


@dataclasses.dataclass(frozen=True)
class Measured:
    """searches: {method: {name: (users, rounds)}}. prompts: {name: {measure: (users,)}} of prompts that no search made,
    and of the union. validation, test: Effect_D of random sets, (users, sets)."""

    searches: dict[str, dict[str, np.ndarray]]
    prompts: dict[str, dict[str, np.ndarray]]
    validation: np.ndarray
    test: np.ndarray


def measure(
    settings: Demonstrations, learner: Learner, task: Recommend, key: jax.Array, validation: int, step: Callable
) -> Measured:
    """All users, so many at a time, with so many validation queries; `step` is called after each program."""
    blocks = []
    for block in range(-(-settings.users // settings.chunk)):
        block_key = jax.random.fold_in(key, block)
        users = draw_users(task, block_key, min(settings.chunk, settings.users))
        blocks.append(_block(settings, learner, users, jax.random.fold_in(block_key, 1), validation, step))
    return jax.tree.map(lambda *parts: np.concatenate(parts)[: settings.users], *blocks, is_leaf=_is_array)


def _is_array(node) -> bool:
    return isinstance(node, np.ndarray)


def _block(settings, learner, users, key, validation: int, step: Callable) -> Measured:
    searches, sets = {}, None
    keys_B = jax.random.split(key, len(users.slate.index))
    for name, method in METHODS.items():
        plan, numbers = plan_of(settings, method, validation), numbers_of(settings, method)
        rows, current_BxPxN = jax.device_get(_search(learner, users, keys_B, numbers, plan))
        searches[name] = rows
        if name == UNION_OF:
            sets = current_BxPxN.reshape(len(current_BxPxN), -1)
        step()
    counts = (settings.examples, LONGER * settings.examples)
    prompts, effects = jax.device_get(_references(learner, users, keys_B, sets, counts, validation, settings.queries))
    step()
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
def _references(learner, users: User, keys_B, sets_BxU, counts: tuple[int, ...], validation: int, test: int):
    def of_user(user: User, key: jax.Array, set_U: jax.Array):
        prompts = {
            "union": references.shown(learner, user, set_U, test),
            **references.best_singles(learner, user, counts, validation, test),
            **references.without_search(learner, user, key, counts, test),
        }
        return prompts, references.effects(learner, user, key, counts[0], validation, test)

    return jax.vmap(of_user)(users, keys_B, sets_BxU)


jax.tree_util.register_dataclass(Measured, ["searches", "prompts", "validation", "test"], [])
