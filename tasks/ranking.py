"""Ranking: an answer scores a slate of candidates, one of which is right; the loss is cross-entropy in nats.

All measures here are functions of the rank of the right candidate, from 1, and with a single right candidate they are:

    nDCG@k = [rank <= k] / log2(rank + 1),   Recall@k = [rank <= k],   MRR = 1 / rank,   Effect_D = 1 / log2(rank + 1)

(Järvelin and Kekäläinen 2002; Effect_D: [LRGD]). A candidate that ties with the right one counts half, so the rank of
candidates that all score the same is their mean rank, and no learner gains by scoring everything alike.
"""

from collections.abc import Callable
from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct

from tasks.task import Task


def rank(score_QxS: jax.Array, index_Q: jax.Array) -> jax.Array:
    """The rank (Q,) of the right candidate: 1 + those that score higher + half of those that tie with it.

    NaN where a score is no number.
    """
    right_Qx1 = jnp.take_along_axis(score_QxS, index_Q[:, None], axis=-1)
    higher_Q, equal_Q = (jnp.sum(each, axis=-1) for each in (score_QxS > right_Qx1, score_QxS == right_Qx1))
    no_number_Q = jnp.any(jnp.isnan(score_QxS), axis=-1)
    return jnp.where(no_number_Q, jnp.nan, higher_Q + (equal_Q + 1) / 2).astype(score_QxS.dtype)


def effect(rank_Q: jax.Array) -> jax.Array:
    """Effect_D = 1 / log2(rank + 1)."""
    return 1 / jnp.log2(rank_Q + 1)


def reciprocal(rank_Q: jax.Array) -> jax.Array:
    """1 / rank, whose mean is MRR."""
    return 1 / rank_Q


def recall(k: int) -> Callable[[jax.Array], jax.Array]:
    """Recall@k: 1 where the rank is k or better."""
    return lambda rank_Q: jnp.where(jnp.isnan(rank_Q), jnp.nan, (rank_Q <= k).astype(rank_Q.dtype))


def ndcg(k: int) -> Callable[[jax.Array], jax.Array]:
    """nDCG@k: Effect_D where the rank is k or better, else 0."""
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
    """{name: (Q,)} of every measure in `METRICS`."""
    rank_Q = rank(score_QxS, index_Q)
    return {name: metric(rank_Q) for name, metric in METRICS.items()}


@struct.dataclass
class Slate:
    """What the queries of an episode choose from. items: (Q, S, Y) features. index: (Q,) which one is right."""

    items: jax.Array
    index: jax.Array

    def scores(self, answer_QxY: jax.Array) -> jax.Array:
        """(Q, S): the inner product of each candidate with the answer."""
        return jnp.einsum("qsy,qy->qs", self.items, answer_QxY)


class Ranking(Task):
    """A task whose loss is -log softmax(items . answer)[index], (Q, Y) and a `Slate` -> (Q,)."""

    loss_name: ClassVar[str] = "cross-entropy over the slate (nats)"

    def loss(self, answer_QxY: jax.Array, target: Slate) -> jax.Array:
        log_probability_QxS = jax.nn.log_softmax(target.scores(answer_QxY), axis=-1)
        return -jnp.take_along_axis(log_probability_QxS, target.index[:, None], axis=-1)[:, 0]

    def scores(self, answer_QxY: jax.Array, target: Slate) -> dict[str, jax.Array]:
        """All of `METRICS`."""
        return metrics(target.scores(answer_QxY), target.index)
