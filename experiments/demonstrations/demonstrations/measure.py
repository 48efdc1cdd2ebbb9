"""Every search and every reference on the same users. References are prompts that no search made, and the correlation
of validation with test over random sets."""

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.demonstrations.demonstrations.settings import Demonstrations
from lab.learners.learner import Learner
from tasks import ranking
from tasks.recommend import Recommend
from trainers.demonstration_search import (
    Appended,
    Numbers,
    Plan,
    User,
    answers,
    answers_without_any,
    draw,
    measures,
    ranks,
    search,
)

MORE = 3  # factor of the proposals of one path, for as many evaluations as three paths make
LONGER = 2  # factor of the examples, for as many as a prompt with appended demonstrations has


@dataclasses.dataclass(frozen=True)
class Method:
    """One search.

    paths: how many it has. proposals, examples: factors of the proposals of a round, and of the examples of a set.
    appended: the demonstrations that a collapsed path gets.
    """

    paths: int = 1
    proposals: int = 1
    examples: int = 1
    appended: Appended = Appended.nothing


METHODS: dict[str, Method] = {
    "one": Method(),
    "one_more": Method(proposals=MORE),
    "three": Method(paths=3),
    "two_path": Method(paths=2, appended=Appended.path),
    "three_path": Method(paths=3, appended=Appended.path),
    "three_other": Method(paths=3, appended=Appended.other),
    "three_random": Method(paths=3, appended=Appended.random),
    "long": Method(examples=LONGER),
    "long_more": Method(proposals=MORE, examples=LONGER),
}
UNION_OF = "three"  # the last sets of this search are also shown together in one prompt
PATHS = max(method.paths for method in METHODS.values())


def plan_of(settings: Demonstrations, method: Method, validation: int) -> Plan:
    """Return the static numbers of a search; searches with the same plan share a compiled program.

    All searches with ordinary sets and proposals have one plan, with the most paths: unused paths cost time, but less
    than compiling another program.
    """
    is_large = method.proposals > 1 or method.examples > 1
    return Plan(
        paths=1 if is_large else PATHS,
        proposals=settings.proposals * (MORE if is_large else 1),
        examples=settings.examples * method.examples,
        rounds=settings.rounds,
        validation=validation,
        test=settings.queries,
    )


def numbers_of(settings: Demonstrations, method: Method) -> Numbers:
    """Return the traced numbers of a search."""
    proposals = settings.proposals * method.proposals
    return Numbers(method.paths, proposals, int(method.appended), settings.step, settings.floor, settings.threshold)


def evaluations(settings: Demonstrations, method: Method) -> int:
    """Return how many proposed sets a search scores for one user."""
    return method.paths * settings.rounds * settings.proposals * method.proposals


ZERO_SHOT = "zero_shot"
SETS = 16  # random sets of each user, over which validation and test are correlated


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
            "union": shown(learner, user, union_U, test),
            **best_singles(learner, user, counts, validation, test),
            **without_search(learner, user, key, counts, test),
        }
        return prompts, effects(learner, user, key, counts[0], validation, test)

    return jax.vmap(of_user)(users, keys_B, union_BxU)


def shown(learner: Learner, user: User, chosen_N: jax.Array, test: int) -> dict[str, jax.Array]:
    """Return the mean of each of `ranking.METRICS` over the last `test` queries, with these demonstrations."""
    part = user.part(slice(-test, None))
    return measures(ranks(part, answers(learner, part.prompt, chosen_N)))


def without_search(learner: Learner, user: User, key: jax.Array, counts: tuple[int, ...], test: int) -> dict:
    """Return {name: measures} of random demonstrations, for each count, of the whole pool, and of none at all."""
    size = len(user.prompt.answers)
    order_M = jax.random.permutation(key, size)
    chosen = {f"random_{count}": order_M[:count] for count in counts}
    chosen |= {"whole_pool": jnp.arange(size)}
    prompts = {name: shown(learner, user, chosen_N, test) for name, chosen_N in chosen.items()}
    part = user.part(slice(-test, None))
    return prompts | {ZERO_SHOT: measures(ranks(part, answers_without_any(learner, part.prompt)))}


def best_singles(
    learner: Learner, user: User, counts: tuple[int, ...], validation: int, test: int
) -> dict[str, dict[str, jax.Array]]:
    """Return {name: measures} of the demonstrations that score best alone, by Effect_D on validation, for each count.

    Args:
        counts: how many demonstrations are chosen.
        validation, test: the numbers of queries.
    """
    part = user.part(slice(validation))

    def of_one(place: jax.Array) -> jax.Array:
        return jnp.mean(ranks(part, answers(learner, part.prompt, place[None])).mean(ranking.effect))

    effect_M = jax.vmap(of_one)(jnp.arange(len(user.prompt.answers)))
    return {f"singles_{n}": shown(learner, user, jax.lax.top_k(effect_M, n)[1], test) for n in counts}


def effects(
    learner: Learner, user: User, key: jax.Array, count: int, validation: int, test: int
) -> tuple[jax.Array, ...]:
    """Return the Effect_D of random sets of `count` demonstrations on validation and on test, (SETS,) each."""
    uniform_M = jnp.zeros(len(user.prompt.answers))
    sets_RxN = jax.vmap(draw, in_axes=(0, None, None))(jax.random.split(key, SETS), uniform_M, count)

    def of_part(part: User) -> jax.Array:
        ranks_RxQ = jax.vmap(lambda set_N: ranks(part, answers(learner, part.prompt, set_N)))(sets_RxN)
        return jnp.mean(ranks_RxQ.mean(ranking.effect), axis=1)

    return of_part(user.part(slice(validation))), of_part(user.part(slice(-test, None)))
