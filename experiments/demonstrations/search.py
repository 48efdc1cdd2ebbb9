"""Search for a user's demonstrations by what they do to validation queries [LRGD], with a distribution in the place of
the language model.

Each of P paths has weights pi of the M demonstrations of a pool. In every round it proposes K sets of N, drawn without
replacement in proportion to pi. They and the path's current set are scored by their mean Effect_D on the validation
queries; the best is the current set from then on, a new one where they are level, and pi moves towards the two best
(the cross-entropy method, Rubinstein 1999):

    pi <- (1 - step) pi + step * (share of the two sets that a demonstration is in),  and not below the floor.

The similarity of a round is Jaccard's of a path's current set with the one before. Where it exceeds a threshold the
path has collapsed, and in the next round its prompts have another N demonstrations appended: the current set of the
next path, or random ones. What is shown to the test queries is the prompt of the path that is best on validation.
"""

import dataclasses
import enum

import jax
import jax.numpy as jnp
from flax import struct

from lab.learners.learner import Learner
from tasks import ranking
from tasks.episode import Prompt
from tasks.ranking import Slate

ELITE = 2  # sets that pi moves towards


class Appended(enum.IntEnum):
    """What a collapsed path's prompts get."""

    nothing = 0
    path = 1  # the current set of the next path
    random = 2  # demonstrations drawn alike


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is static of a search: the most paths P and proposals K of a round, N demonstrations of a set, rounds, and
    queries: the first `validation` ones, and the last `test` ones."""

    paths: int
    proposals: int
    examples: int
    rounds: int
    validation: int
    test: int


@struct.dataclass
class Numbers:
    """What is traced. paths, proposals: how many of the plan's are used. appended: a position in `Appended`. step: how
    far pi moves. floor: its least value. threshold: similarity of a collapse."""

    paths: jax.Array | int
    proposals: jax.Array | int
    appended: jax.Array | int
    step: jax.Array | float
    floor: jax.Array | float
    threshold: jax.Array | float


@struct.dataclass
class User:
    """A pool of demonstrations, and queries with their slates: one episode of `recommend`."""

    prompt: Prompt
    slate: Slate

    def part(self, queries: slice) -> "User":
        """The same pool with these queries alone."""
        query, slate = jax.tree.map(lambda leaf: leaf[queries], (self.prompt.query, self.slate))
        return User(self.prompt.replace(query=query, visible=None), slate)


@struct.dataclass
class State:
    """Of P paths: pi (P, M), the current set (P, N), what is appended to prompts (P, N), and to which (P,)."""

    pi: jax.Array
    current: jax.Array
    added: jax.Array
    is_longer: jax.Array


def answers(learner: Learner, prompt: Prompt, chosen_N: jax.Array) -> jax.Array:
    """(Q, Y): the answers from these demonstrations of the pool."""
    context, targets = jax.tree.map(lambda leaf: leaf[chosen_N], (prompt.context, prompt.answers))
    return learner(prompt.replace(context=context, answers=targets))


def ranks(user: User, answer_QxY: jax.Array) -> jax.Array:
    """(Q,): of what was taken, by the answers."""
    return ranking.rank(user.slate.scores(answer_QxY), user.slate.index)


def jaccard(a_N: jax.Array, b_N: jax.Array) -> jax.Array:
    """|A and B| / |A or B| of two sets without repetitions."""
    both = jnp.sum(a_N[:, None] == b_N[None])
    return both / (len(a_N) + len(b_N) - both)


def draw(key: jax.Array, log_weights_M: jax.Array, count: int) -> jax.Array:
    """So many different demonstrations, one after the other in proportion to their weights: the largest of logarithm +
    Gumbel noise."""
    return jax.lax.top_k(log_weights_M + jax.random.gumbel(key, log_weights_M.shape), count)[1]


def search(learner: Learner, user: User, key: jax.Array, plan: Plan, numbers: Numbers) -> tuple[dict, jax.Array]:
    """Search for one user.

    Returns:
        {name: (rounds,)}: `validation`, Effect_D of the path that is best on validation; all of `ranking.METRICS` of
        its prompt on the test queries; `examples`, how many that prompt has; means over the paths of `similarity` with
        the round before (NaN in the first round) and of `collapsed`. And the last current sets (P, N).
    """
    size, places_P = len(user.prompt.answers), jnp.arange(plan.paths)
    validation, test = user.part(slice(plan.validation)), user.part(slice(-plan.test, None))
    is_used_P, is_drawn_K = places_P < numbers.paths, jnp.arange(plan.proposals) < numbers.proposals
    next_P = (places_P + 1) % numbers.paths

    def of_set(part: User, own_N: jax.Array, added_N: jax.Array, is_longer: jax.Array) -> jax.Array:
        """Ranks (Q,) from a set alone, or with what is appended."""
        alone = answers(learner, part.prompt, own_N)
        longer = answers(learner, part.prompt, jnp.concatenate([own_N, added_N]))
        return ranks(part, jnp.where(is_longer, longer, alone))

    def one_path(key, pi_M, current_N, added_N, is_longer, is_candidate_C):
        """New pi, current set and its score. C = K + 1 candidates, the current set last."""
        drawn_KxN = jax.vmap(draw, in_axes=(0, None, None))(jax.random.split(key, plan.proposals), jnp.log(pi_M), count)
        sets_CxN = jnp.concatenate([drawn_KxN, current_N[None]])
        ranks_CxV = jax.vmap(of_set, in_axes=(None, 0, None, None))(validation, sets_CxN, added_N, is_longer)
        score_C = jnp.where(is_candidate_C, jnp.mean(ranking.effect(ranks_CxV), axis=1), -1.0)
        best_E = jax.lax.top_k(score_C, ELITE)[1]  # of those that are level the first, so a new one
        elite_M = jnp.zeros(size).at[sets_CxN[best_E].ravel()].add(1 / ELITE)
        pi_M = (1 - numbers.step) * pi_M + numbers.step * elite_M
        return jnp.maximum(pi_M, numbers.floor), sets_CxN[best_E[0]], score_C[best_E[0]]

    def one_round(state: State, of_round):
        key, index = of_round
        keys_P, keys_random_P = (jax.random.split(each, plan.paths) for each in jax.random.split(key))
        is_candidate_C = jnp.append(is_drawn_K, index > 0)  # there is no current set in the first round
        paths = jax.vmap(one_path, in_axes=(0, 0, 0, 0, 0, None))
        pi, current, score_P = paths(keys_P, state.pi, state.current, state.added, state.is_longer, is_candidate_C)
        best = jnp.argmax(jnp.where(is_used_P, score_P, -1.0))
        ranks_T = of_set(test, current[best], state.added[best], state.is_longer[best])
        similarity_P = jnp.where(index > 0, jax.vmap(jaccard)(current, state.current), jnp.nan)
        collapsed_P = similarity_P > numbers.threshold
        random = jax.vmap(draw, in_axes=(0, None, None))(keys_random_P, jnp.zeros(size), count)
        added = jnp.where(numbers.appended == Appended.path, current[next_P], random)
        is_longer = collapsed_P & (numbers.appended != Appended.nothing)
        row = measures(ranks_T) | {
            "validation": score_P[best],
            "examples": count * (1.0 + state.is_longer[best]),
            "similarity": jnp.mean(similarity_P, where=is_used_P),
            "collapsed": jnp.mean(collapsed_P.astype(float), where=is_used_P),
        }
        return State(pi, current, added, is_longer), row

    count = plan.examples
    nothing_PxN = jnp.zeros((plan.paths, count), int)
    start_PxM = jnp.full((plan.paths, size), count / size)
    start = State(start_PxM, nothing_PxN, nothing_PxN, jnp.zeros(plan.paths, bool))
    of_rounds = jax.random.split(key, plan.rounds), jnp.arange(plan.rounds)
    state, rows = jax.lax.scan(one_round, start, of_rounds)
    return rows, state.current


def measures(ranks_T: jax.Array) -> dict[str, jax.Array]:
    """The mean of each of `ranking.METRICS`."""
    return {name: jnp.mean(metric(ranks_T)) for name, metric in ranking.METRICS.items()}
