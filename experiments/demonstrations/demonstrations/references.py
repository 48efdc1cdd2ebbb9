"""References for the search: prompts that are made without a search, and the correlation of validation with test."""

import jax
import jax.numpy as jnp

from lab.learners.learner import Learner
from tasks import ranking
from trainers.demonstration_search import User, answers, answers_without_any, draw, measures, ranks

ZERO_SHOT = "zero_shot"
SETS = 16  # random sets of each user, over which validation and test are correlated


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
    return prompts | {ZERO_SHOT: without_any(learner, user, test)}


def without_any(learner: Learner, user: User, test: int) -> dict[str, jax.Array]:
    """Return the same of a prompt without any demonstration."""
    part = user.part(slice(-test, None))
    return measures(ranks(part, answers_without_any(learner, part.prompt)))


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
