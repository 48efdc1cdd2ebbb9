"""Effect_D of a set of demonstrations [LRGD], the best set by a score, and Spearman's correlation of two orders."""

import jax
import numpy as np
from scipy.stats import rankdata

from tasks import ranking

DECIMALS = 9  # of means in double precision: sums of the same numbers in another order shall tie


def effect(answer_QxC: jax.Array, label_Q: jax.Array) -> jax.Array:
    """Return 1 / log2(rank + 1) of the right class's logit, (Q,); its mean over validation queries is Effect_D.

    This is NDCG with one relevant item (Järvelin and Kekäläinen 2002): 1 at rank 1, .5 at rank 3.

    Args:
        answer_QxC: one logit per class.
        label_Q: the right classes.

    Returns:
        Values from 1 / log2(C + 1) to 1; where logits tie, the mean over their ranks. NaN where the largest is NaN or
        infinite.
    """
    return ranking.ranks(answer_QxC, label_Q).mean(ranking.effect)


def best_set(values_BxMxQ: np.ndarray, score: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of each of M sets, the mean over queries (B, M), and the number of the best set (B,).

    Args:
        score: effect, accuracy or loss; of the loss less is better. The first of equal ones is taken.
    """
    means_BxM = np.round(values_BxMxQ.mean(axis=-1, dtype=np.float64), DECIMALS)
    return means_BxM, np.argmax(-means_BxM if score == "loss" else means_BxM, axis=1)


def spearman(a_BxM: np.ndarray, b_BxM: np.ndarray) -> np.ndarray:
    """Return Spearman's rank correlation along the last axis, (B,), with ranks averaged over ties.

    NaN where one of the two is constant.
    """
    ranks = (rankdata(each, axis=-1) for each in (a_BxM, b_BxM))
    a, b = (each - each.mean(axis=-1, keepdims=True) for each in ranks)
    norms = np.sqrt(np.sum(a**2, axis=-1) * np.sum(b**2, axis=-1))
    return np.where(norms > 0, np.sum(a * b, axis=-1) / np.where(norms > 0, norms, 1.0), np.nan)
