"""Search for a user's demonstrations by their effect on validation queries [LRGD], with a probability distribution in
place of the language model that proposes demonstrations there.

Each of P paths has weights pi of the M demonstrations of a pool. In every round it proposes K sets of N, drawn without
replacement in proportion to pi. These and the path's current set are scored by their mean Effect_D on the validation
queries. The best becomes the current set (of equal ones a new set), and pi moves towards the two best (the
cross-entropy method, Rubinstein 1999):

    pi <- max(floor, (1 - step) pi + step * (share of the two sets that contain the demonstration)).

The similarity of a round is the Jaccard index of a path's current set and its set of the round before. If it exceeds a
threshold, the path has collapsed, and in the next round its prompts have another N demonstrations appended: the current
set of the next path or of a random other path, or random ones. The test queries see the prompt of the path that is best
on validation.
"""

import dataclasses
import enum
from typing import Protocol

import jax
import jax.numpy as jnp
from flax import struct

from analysis.tables.columns import Rounds
from lab.learners.learner import Learner
from tasks import ranking
from tasks.episode import Prompt
from tasks.ranking import Ranks

ELITE = 2  # sets that pi moves towards


class Appended(enum.IntEnum):
    """The demonstrations that are appended to the prompts of a collapsed path."""

    nothing = 0
    path = 1  # the current set of the next path
    random = 2  # demonstrations that are drawn with equal probabilities
    other = 3  # the current set of a random other path [LRGD, section 3.6]


@dataclasses.dataclass(frozen=True)
class Plan:
    """The static numbers of a search, on which its compiled program depends.

    paths, proposals: the largest numbers of paths P, and of proposals K of a path in a round. examples: N, the
    demonstrations in a set.
    validation, test: the first `validation` of a user's queries are for validation, the last `test` for the test.
    """

    paths: int
    proposals: int
    examples: int
    rounds: int
    validation: int
    test: int


@struct.dataclass
class Numbers:
    """The traced numbers of a search, () each.

    paths, proposals: the numbers used, up to the plan's. appended: a value of `Appended`. step: how far pi moves.
    floor: the least value of pi. threshold: the similarity above which a path has collapsed.
    """

    paths: jax.Array | int
    proposals: jax.Array | int
    appended: jax.Array | int
    step: jax.Array | float
    floor: jax.Array | float
    threshold: jax.Array | float


class Candidates(Protocol):
    """The candidates of each query, of which `index` (Q,) is the right one."""

    index: jax.Array

    def scores(self, answer_QxY: jax.Array, /) -> jax.Array:
        """Return the score (Q, S) of each candidate by the answers."""
        ...


@struct.dataclass
class User:
    """A user's pool of demonstrations, and queries with their slates of candidates."""

    prompt: Prompt
    slate: Candidates

    def part(self, queries: slice) -> "User":
        """Return the user with the pool and only these queries."""
        query, slate = jax.tree.map(lambda leaf: leaf[queries], (self.prompt.query, self.slate))
        return User(dataclasses.replace(self.prompt, query=query, visible=None), slate)


@struct.dataclass
class State:
    """The state of P paths: pi (P, M), current sets (P, N), demonstrations that may be appended (P, N), and whether
    they are (P,)."""

    pi: jax.Array
    current: jax.Array
    added: jax.Array
    is_longer: jax.Array


def answers(learner: Learner, prompt: Prompt, chosen_N: jax.Array) -> jax.Array:
    """Return the learner's answers (Q, Y) from the chosen demonstrations of the pool."""
    context, targets = jax.tree.map(lambda leaf: leaf[chosen_N], (prompt.context, prompt.answers))
    return learner(dataclasses.replace(prompt, context=context, answers=targets))


def answers_without_any(learner: Learner, prompt: Prompt) -> jax.Array:
    """Return the learner's answers (Q, Y) without any demonstration: the prompt has one, which no query sees."""
    context, targets = jax.tree.map(lambda leaf: leaf[:1], (prompt.context, prompt.answers))
    visible_QxN = jnp.zeros((len(jax.tree.leaves(prompt.query)[0]), 1), bool)
    return learner(dataclasses.replace(prompt, context=context, answers=targets, visible=visible_QxN))


def ranks(user: User, answer_QxY: jax.Array) -> Ranks:
    """Return the ranks that the answers give to the item that the user took, for each query."""
    return ranking.ranks(user.slate.scores(answer_QxY), user.slate.index)


def jaccard(a_N: jax.Array, b_N: jax.Array) -> jax.Array:
    """Return |A and B| / |A or B| of two sets without repetitions, given as arrays of their elements."""
    both = jnp.sum(a_N[:, None] == b_N[None])
    return both / (len(a_N) + len(b_N) - both)


def draw(key: jax.Array, log_weights_M: jax.Array, count: int) -> jax.Array:
    """Draw `count` different demonstrations, (count,), one after the other with probabilities proportional to weights.

    These are the demonstrations with the largest sums of logarithmic weight and Gumbel noise.
    """
    return jax.lax.top_k(log_weights_M + jax.random.gumbel(key, log_weights_M.shape), count)[1]


def search(learner: Learner, user: User, key: jax.Array, plan: Plan, numbers: Numbers) -> tuple[dict, jax.Array]:
    """Search for the demonstrations of one user.

    Returns:
        {name: (rounds,)} and the last current sets (P, N). The names are columns of `Rounds`, and all of
        `ranking.METRICS`; `similarity` is NaN in the first round.
    """
    size, places_P = len(user.prompt.answers), jnp.arange(plan.paths)
    validation, test = user.part(slice(plan.validation)), user.part(slice(-plan.test, None))
    is_used_P, is_drawn_K = places_P < numbers.paths, jnp.arange(plan.proposals) < numbers.proposals
    next_P = (places_P + 1) % numbers.paths

    def of_set(part: User, own_N: jax.Array, added_N: jax.Array, is_longer: jax.Array) -> Ranks:
        """Return the ranks from a set alone or, if `is_longer`, together with the appended demonstrations."""
        alone = answers(learner, part.prompt, own_N)
        longer = answers(learner, part.prompt, jnp.concatenate([own_N, added_N]))
        return ranks(part, jnp.where(is_longer, longer, alone))

    def one_path(key, pi_M, current_N, added_N, is_longer, is_candidate_C):
        """Return the new pi, the new current set and its score. Of C = K + 1 candidates the last is the current set."""
        drawn_KxN = jax.vmap(draw, in_axes=(0, None, None))(jax.random.split(key, plan.proposals), jnp.log(pi_M), count)
        sets_CxN = jnp.concatenate([drawn_KxN, current_N[None]])
        ranks_CxV = jax.vmap(of_set, in_axes=(None, 0, None, None))(validation, sets_CxN, added_N, is_longer)
        score_C = jnp.where(is_candidate_C, jnp.mean(ranks_CxV.mean(ranking.effect), axis=1), -1.0)
        best_E = jax.lax.top_k(score_C, ELITE)[1]  # of equal scores the first, so a new set
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
        distance_P = jax.vmap(lambda key: jax.random.randint(key, (), 1, jnp.maximum(numbers.paths, 2)))(keys_random_P)
        other_P = jnp.where(numbers.appended == Appended.other, (places_P + distance_P) % numbers.paths, next_P)
        added = jnp.where(numbers.appended == Appended.random, random, current[other_P])
        is_longer = collapsed_P & (numbers.appended != Appended.nothing)
        row = measures(ranks_T) | {
            Rounds.VALIDATION: score_P[best],
            Rounds.EXAMPLES: count * (1.0 + state.is_longer[best]),
            Rounds.SIMILARITY: jnp.mean(similarity_P, where=is_used_P),
            Rounds.COLLAPSED: jnp.mean(collapsed_P.astype(float), where=is_used_P),
        }
        return State(pi, current, added, is_longer), row

    count = plan.examples
    nothing_PxN = jnp.zeros((plan.paths, count), int)
    start_PxM = jnp.full((plan.paths, size), count / size)
    start = State(start_PxM, nothing_PxN, nothing_PxN, jnp.zeros(plan.paths, bool))
    of_rounds = jax.random.split(key, plan.rounds), jnp.arange(plan.rounds)
    state, rows = jax.lax.scan(one_round, start, of_rounds)
    return rows, state.current


def measures(ranks_T: Ranks) -> dict[str, jax.Array]:
    """Return {name: mean over the queries} of `ranking.METRICS`."""
    return {name: jnp.mean(ranks_T.mean(measure)) for name, measure in ranking.METRICS.items()}
