"""Ranking: an answer scores a slate of candidates, one of which is right; the loss is cross-entropy in nats.

All measures are functions of the rank of the right candidate, counted from 1. With one right candidate they are

    nDCG@k = [rank <= k] / log2(rank + 1),   Recall@k = [rank <= k],   MRR = 1 / rank,   Effect_D = 1 / log2(rank + 1)

(Järvelin and Kekäläinen 2002; Effect_D: [LRGD]). A candidate that ties with the right one counts half. So the rank
among candidates that all have the same score is the mean rank, and no learner gains by giving all the same score.
"""

from collections.abc import Callable
from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct

from tasks.task import Task


def rank(score_QxS: jax.Array, index_Q: jax.Array) -> jax.Array:
    """Return the rank (Q,) of the right candidate: 1 + candidates that score higher + half of those that tie with it.

    The rank is NaN where a score is NaN.

    Args:
        score_QxS: score of each candidate. index_Q: number of the right candidate.
    """
    right_Qx1 = jnp.take_along_axis(score_QxS, index_Q[:, None], axis=-1)
    higher_Q, equal_Q = (jnp.sum(each, axis=-1) for each in (score_QxS > right_Qx1, score_QxS == right_Qx1))
    no_number_Q = jnp.any(jnp.isnan(score_QxS), axis=-1)
    return jnp.where(no_number_Q, jnp.nan, higher_Q + (equal_Q + 1) / 2).astype(score_QxS.dtype)


def effect(rank_Q: jax.Array) -> jax.Array:
    """Return Effect_D = 1 / log2(rank + 1)."""
    return 1 / jnp.log2(rank_Q + 1)


def reciprocal(rank_Q: jax.Array) -> jax.Array:
    """Return 1 / rank, whose mean is MRR."""
    return 1 / rank_Q


def recall(k: int) -> Callable[[jax.Array], jax.Array]:
    """Return the function from ranks to Recall@k: 1 where the rank is at most k, else 0."""
    return lambda rank_Q: jnp.where(jnp.isnan(rank_Q), jnp.nan, (rank_Q <= k).astype(rank_Q.dtype))


def ndcg(k: int) -> Callable[[jax.Array], jax.Array]:
    """Return the function from ranks to nDCG@k: Effect_D where the rank is at most k, else 0."""
    return lambda rank_Q: effect(rank_Q) * recall(k)(rank_Q)


METRICS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "ndcg_1": ndcg(1),
    "ndcg_5": ndcg(5),
    "ndcg_10": ndcg(10),
    "recall_10": recall(10),
    "mrr": reciprocal,
    "effect": effect,
}


def metrics(score_QxS: jax.Array, index_Q: jax.Array) -> dict[str, jax.Array]:
    """Return {name: values (Q,)} for every measure in `METRICS`."""
    rank_Q = rank(score_QxS, index_Q)
    return {name: metric(rank_Q) for name, metric in METRICS.items()}


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

    loss_name: ClassVar[str] = "cross-entropy over the slate (nats)"

    def loss(self, answer_QxY: jax.Array, target: Slate) -> jax.Array:
        log_probability_QxS = jax.nn.log_softmax(target.scores(answer_QxY), axis=-1)
        return -jnp.take_along_axis(log_probability_QxS, target.index[:, None], axis=-1)[:, 0]

    def scores(self, answer_QxY: jax.Array, target: Slate) -> dict[str, jax.Array]:
        """Return every measure of `METRICS`, (Q,) each."""
        return metrics(target.scores(answer_QxY), target.index)
