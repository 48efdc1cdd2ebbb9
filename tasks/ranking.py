"""Ranking: an answer scores a slate of candidates, one of which is right; the loss is cross-entropy in nats.

All measures are functions of the rank of the right candidate, counted from 1. With one right candidate they are

    nDCG@k = [rank <= k] / log2(rank + 1),   Recall@k = [rank <= k],   MRR = 1 / rank,   Effect_D = 1 / log2(rank + 1)

(Järvelin and Kekäläinen 2002; Effect_D: [LRGD]). Candidates of one score are in no order: where e of them tie with the
right one, itself included, below h higher ones, a measure f is its mean over their ranks, (f(h+1) + ... + f(h+e)) / e.
So no learner gains or loses by giving all the same score: it has the values of a random order. (F. McSherry and
M. Najork, Computing information retrieval performance measures efficiently in the presence of tied scores, 2008.)
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import struct

from tasks.task import Task

Measure = Callable[[jax.Array], jax.Array]  # ranks, counted from 1 -> values


@struct.dataclass
class Ranks:
    """The ranks that the right candidate may have: `first` (Q,) to `last` (Q,), which differ where candidates tie.

    Both are NaN where the highest score is NaN or infinite. candidates: how many there are.
    """

    first: jax.Array
    last: jax.Array
    candidates: int = struct.field(pytree_node=False)

    def mean(self, measure: Measure) -> jax.Array:
        """Return the mean (Q,) of a function of the rank over all ranks that the right candidate may have."""
        rank_S = jnp.arange(1, self.candidates + 1, dtype=self.first.dtype)
        rank_1xS = jnp.expand_dims(rank_S, range(self.first.ndim))
        is_possible_QxS = (self.first[..., None] <= rank_1xS) & (rank_1xS <= self.last[..., None])
        sum_Q = jnp.sum(jnp.where(is_possible_QxS, measure(rank_1xS), 0), axis=-1)
        return sum_Q / (self.last - self.first + 1)


def ranks(score_QxS: jax.Array, index_Q: jax.Array) -> Ranks:
    """Return the ranks that the right candidate may have, for each query.

    Args:
        score_QxS: score of each candidate. index_Q: number of the right candidate.
    """
    right_Qx1 = jnp.take_along_axis(score_QxS, index_Q[:, None], axis=-1)
    higher_Q, equal_Q = (jnp.sum(each, axis=-1) for each in (score_QxS > right_Qx1, score_QxS == right_Qx1))
    is_number_Q = jnp.isfinite(jnp.max(score_QxS, axis=-1))
    first_Q, last_Q = (
        jnp.where(is_number_Q, each, jnp.nan).astype(score_QxS.dtype) for each in (higher_Q + 1, higher_Q + equal_Q)
    )
    return Ranks(first_Q, last_Q, score_QxS.shape[-1])


def effect(rank: jax.Array) -> jax.Array:
    """Return Effect_D = 1 / log2(rank + 1)."""
    return 1 / jnp.log2(rank + 1)


def reciprocal(rank: jax.Array) -> jax.Array:
    """Return 1 / rank, whose mean is MRR."""
    return 1 / rank


def recall(k: int) -> Measure:
    """Return the function from ranks to Recall@k: 1 where the rank is at most k, else 0."""
    return lambda rank: (rank <= k).astype(rank.dtype)


def ndcg(k: int) -> Measure:
    """Return the function from ranks to nDCG@k: Effect_D where the rank is at most k, else 0."""
    return lambda rank: effect(rank) * recall(k)(rank)


METRICS: dict[str, Measure] = {
    "ndcg_1": ndcg(1),
    "ndcg_5": ndcg(5),
    "ndcg_10": ndcg(10),
    "recall_5": recall(5),
    "recall_10": recall(10),
    "mrr": reciprocal,
    "effect": effect,
}


def metrics(score_QxS: jax.Array, index_Q: jax.Array) -> dict[str, jax.Array]:
    """Return {name: values (Q,)} for every measure in `METRICS`, means over ties."""
    of_right = ranks(score_QxS, index_Q)
    return {name: of_right.mean(measure) for name, measure in METRICS.items()}


@struct.dataclass
class Slate:
    """The candidates of each query. items: (Q, S, Y) features. index: (Q,) number of the right candidate."""

    items: jax.Array
    index: jax.Array

    def scores(self, answer_QxY: jax.Array) -> jax.Array:
        """Return the inner product (Q, S) of each candidate with the answer to its query."""
        return jnp.einsum("qsy,qy->qs", self.items, answer_QxY)


class Ranking(Task):
    """A task whose loss is -log softmax(items . answer)[index], from (Q, Y) and a `Slate` to (Q,)."""

    def loss(self, answer_QxY: jax.Array, target: Slate) -> jax.Array:
        log_probability_QxS = jax.nn.log_softmax(target.scores(answer_QxY), axis=-1)
        return -jnp.take_along_axis(log_probability_QxS, target.index[:, None], axis=-1)[:, 0]

    def scores(self, answer_QxY: jax.Array, target: Slate) -> dict[str, jax.Array]:
        """Return every measure of `METRICS`, (Q,) each."""
        return metrics(target.scores(answer_QxY), target.index)
