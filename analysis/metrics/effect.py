"""Effect_D of a set of demonstrations [LRGD], and Spearman's correlation between two orders."""

import jax
import numpy as np
from scipy.stats import rankdata

from tasks import ranking


def effect(answer_QxC: jax.Array, label_Q: jax.Array) -> jax.Array:
    """Return 1 / log2(rank + 1) of the right class's logit, (Q,); its mean over validation queries is Effect_D.

    This is NDCG with one relevant item (Järvelin and Kekäläinen 2002): 1 at rank 1, .5 at rank 3.

    Args:
        answer_QxC: one logit per class.
        label_Q: the right classes.

    Returns:
        Values from 1 / log2(C + 1) to 1; where logits tie, the mean over their ranks. NaN where a logit is NaN.
    """
    return ranking.ranks(answer_QxC, label_Q).mean(ranking.effect)


def spearman(a_BxM: np.ndarray, b_BxM: np.ndarray) -> np.ndarray:
    """Return Spearman's rank correlation along the last axis, (B,), with ranks averaged over ties.

    NaN where one of the two is constant.
    """
    ranks = (rankdata(each, axis=-1) for each in (a_BxM, b_BxM))
    a, b = (each - each.mean(axis=-1, keepdims=True) for each in ranks)
    norms = np.sqrt(np.sum(a**2, axis=-1) * np.sum(b**2, axis=-1))
    return np.where(norms > 0, np.sum(a * b, axis=-1) / np.where(norms > 0, norms, 1.0), np.nan)
