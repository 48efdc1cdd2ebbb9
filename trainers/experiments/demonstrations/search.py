"""Search for a user's demonstrations by what they do to validation queries [LRGD], with a distribution in the place of
the language model.

Each of P paths has a distribution pi over the pool of M demonstrations. In every round it proposes K sets of N, drawn
without replacement; each is scored by its mean Effect_D on the validation queries; pi moves towards the two best sets
(the cross-entropy method, Rubinstein 1999), and the best one is the path's current set:

    pi <- (1 - step) pi + step * (how often each demonstration is in the elite) / (2 N),   then floor / M is mixed in.

The similarity of a round is Jaccard's of a path's current set with the one before. Where it exceeds a threshold the
path has collapsed, and in the next round its prompts have another N demonstrations appended: the current set of the
next path, or random ones. What is shown to the test queries is the prompt of the path that is best on validation.
"""

import dataclasses
import enum
from collections.abc import Callable

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
    """What is static of a search. paths: P. examples: N. proposals: K, in every round and path. validation: V, the first
    queries. test: T, the last."""

    paths: int
    examples: int
    proposals: int
    rounds: int
    validation: int
    test: int


@struct.dataclass
class Numbers:
    """step: how far pi moves. floor: share of the uniform distribution in it. threshold: of a collapse."""

    step: jax.Array | float
    floor: jax.Array | float
    threshold: jax.Array | float


@struct.dataclass
class User:
    """A pool of demonstrations, and queries with their slates: one episode of `recommend`."""

    prompt: Prompt
    slate: Slate

    def queries(self, which: slice) -> tuple[Prompt, Slate]:
        """The same pool with these queries alone."""
        query, slate = jax.tree.map(lambda leaf: leaf[which], (self.prompt.query, self.slate))
        return self.prompt.replace(query=query, visible=None), slate


@struct.dataclass
class State:
    """Of P paths: pi (P, M), the current set (P, N), what is appended to prompts (P, N), and where (P,)."""

    pi: jax.Array
    current: jax.Array
    added: jax.Array
    collapsed: jax.Array


def answers(learner: Learner, prompt: Prompt, chosen_N: jax.Array) -> jax.Array:
    """(Q, Y): the answers from these demonstrations of the pool."""
    context, targets = jax.tree.map(lambda leaf: leaf[chosen_N], (prompt.context, prompt.answers))
    return learner(prompt.replace(context=context, answers=targets))


def jaccard(a_N: jax.Array, b_N: jax.Array) -> jax.Array:
    """|A and B| / |A or B| of two sets without repetitions."""
    both = jnp.sum(a_N[:, None] == b_N[None])
    return both / (len(a_N) + len(b_N) - both)


def draw(key: jax.Array, log_pi_M: jax.Array, count: int) -> jax.Array:
    """So many different demonstrations, one after the other with probabilities pi: the largest of log pi + Gumbel."""
    return jax.lax.top_k(log_pi_M + jax.random.gumbel(key, log_pi_M.shape), count)[1]


def search(learner: Learner, user: User, key: jax.Array, plan: Plan, appended: jax.Array, numbers: Numbers):
    """Search for one user.

    Args:
        appended: a position in `Appended`; traced.

    Returns:
        {name: (rounds,)}: `validation`, Effect_D of the path that is best on validation; all of `ranking.METRICS` of
        its prompt on the test queries; `examples`, how many this prompt has; means over the paths of `similarity`, of a
        path's current set with that of the round before (NaN in the first round), and of `collapsed`. And the last
        current sets (P, N).
    """
    size = len(user.prompt.answers)
    (validation, validation_slate), (test, test_slate) = user.queries(slice(plan.validation)), user.queries(
        slice(-plan.test, None)
    )

    def of_set(prompt: Prompt, own_N: jax.Array, added_N: jax.Array, collapsed: jax.Array) -> jax.Array:
        """The answers (Q, Y) from a set alone, or with what is appended."""
        longer = jnp.concatenate([own_N, added_N])
        return jnp.where(collapsed, answers(learner, prompt, longer), answers(learner, prompt, own_N))

    def score(own_N, added_N, collapsed) -> jax.Array:
        answer_VxY = of_set(validation, own_N, added_N, collapsed)
        ranks_V = ranking.rank(validation_slate.scores(answer_VxY), validation_slate.index)
        return jnp.mean(ranking.effect(ranks_V))

    def one_path(key, pi_M, added_N, collapsed):
        """New pi, current set and its score."""
        keys = jax.random.split(key, plan.proposals)
        sets_KxN = jax.vmap(draw, in_axes=(0, None, None))(keys, jnp.log(pi_M), plan.examples)
        score_K = jax.vmap(score, in_axes=(0, None, None))(sets_KxN, added_N, collapsed)
        best_E = jax.lax.top_k(score_K, ELITE)[1]
        elite_M = jnp.zeros(size).at[sets_KxN[best_E].ravel()].add(1 / (ELITE * plan.examples))
        pi_M = (1 - numbers.step) * pi_M + numbers.step * elite_M
        return (1 - numbers.floor) * pi_M + numbers.floor / size, sets_KxN[best_E[0]], score_K[best_E[0]]

    def one_round(state: State, of_round):
        key, index = of_round
        key_paths, key_random = (jax.random.split(each, plan.paths) for each in jax.random.split(key))
        pi, current, score_P = jax.vmap(one_path)(key_paths, state.pi, state.added, state.collapsed)
        best = jnp.argmax(score_P)
        shown = of_set(test, current[best], state.added[best], state.collapsed[best])
        similarity_P = jnp.where(index > 0, jax.vmap(jaccard)(current, state.current), jnp.nan)
        collapsed = (similarity_P > numbers.threshold) & (appended != Appended.nothing)
        uniform_M = jnp.zeros(size)
        random = jax.vmap(draw, in_axes=(0, None, None))(key_random, uniform_M, plan.examples)
        added = jnp.where(appended == Appended.path, jnp.roll(current, -1, axis=0), random)
        row = {
            **_mean(ranking.metrics(test_slate.scores(shown), test_slate.index)),
            "validation": score_P[best],
            "examples": plan.examples * (1.0 + state.collapsed[best]),
            "similarity": jnp.mean(similarity_P),
            "collapsed": jnp.mean(similarity_P > numbers.threshold),
        }
        return State(pi, current, added, collapsed), row

    nothing_PxN = jnp.zeros((plan.paths, plan.examples), int)
    start = State(jnp.full((plan.paths, size), 1 / size), nothing_PxN, nothing_PxN, jnp.zeros(plan.paths, bool))
    keys = jax.random.split(key, plan.rounds)
    state, rows = jax.lax.scan(one_round, start, (keys, jnp.arange(plan.rounds)))
    return rows, state.current


def shown(learner: Learner, user: User, chosen_N: jax.Array, test: int) -> dict[str, jax.Array]:
    """All of `ranking.METRICS` on the test queries with these demonstrations, a mean each."""
    prompt, slate = user.queries(slice(-test, None))
    return _mean(ranking.metrics(slate.scores(answers(learner, prompt, chosen_N)), slate.index))


def singles(learner: Learner, user: User, validation: int) -> jax.Array:
    """Effect_D on validation of each demonstration alone (M,)."""
    prompt, slate = user.queries(slice(validation))

    def of_one(place: jax.Array) -> jax.Array:
        return jnp.mean(ranking.effect(ranking.rank(slate.scores(answers(learner, prompt, place[None])), slate.index)))

    return jax.vmap(of_one)(jnp.arange(len(user.prompt.answers)))


def _mean(metrics: dict[str, jax.Array]) -> dict[str, jax.Array]:
    return {name: jnp.mean(values) for name, values in metrics.items()}


Search = Callable[..., tuple[dict[str, jax.Array], jax.Array]]
