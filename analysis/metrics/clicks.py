"""How well probabilities of clicks rank and fit: AUC, log loss, F1, with errors over users.

All of a user's clicks depend on one another, so errors are by resampling users (Efron 1979). The same resamples serve
every model that has answered the same users, so differences are paired.
"""

import numpy as np

DRAWS = 200
WEIGHTS = 2**21  # of rows that are in memory at a time


def auc(label_R: np.ndarray, score_R: np.ndarray, weight_R: np.ndarray | None = None) -> float:
    """The area under the ROC curve: how probable it is that a click has a higher score than no click; ties count half.

    weight_R: how often each row counts. NaN where there are only clicks, or none.
    """
    return float(aucs(label_R, score_R, np.ones((1, len(label_R))) if weight_R is None else weight_R[None])[0])


def aucs(label_R: np.ndarray, score_R: np.ndarray, weight_DxR: np.ndarray) -> np.ndarray:
    """(D,): the same for D weightings of the rows, with one sort."""
    order = np.argsort(score_R, kind="stable")
    score, is_click = np.asarray(score_R)[order], np.asarray(label_R)[order] > 0
    weight = np.asarray(weight_DxR, np.float64)[:, order]
    starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
    clicks = np.add.reduceat(weight * is_click, starts, axis=1)
    others = np.add.reduceat(weight * ~is_click, starts, axis=1)
    below = np.cumsum(others, axis=1) - others
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sum(clicks * (below + others / 2), axis=1) / (clicks.sum(axis=1) * others.sum(axis=1))


def log_loss(label_R: np.ndarray, logit_R: np.ndarray) -> np.ndarray:
    """(R,): -log p of what happened, in nats, from the logit of a click."""
    signed = np.where(np.asarray(label_R) > 0, 1.0, -1.0) * np.asarray(logit_R, np.float64)
    return np.logaddexp(0, -signed)


def f1(label_R: np.ndarray, logit_R: np.ndarray) -> float:
    """Harmonic mean of precision and recall of clicks, where p >= 1/2 predicts one; 0 where none is predicted right."""
    is_click, is_predicted = np.asarray(label_R) > 0, np.asarray(logit_R) >= 0
    total = is_click.sum() + is_predicted.sum()
    return float(2 * np.sum(is_click & is_predicted) / total) if total else 0.0


def resamples(users: int, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """(D, U): how often each user is among as many that are drawn with replacement; the same for every model."""
    return np.random.default_rng(seed).multinomial(users, np.full(users, 1 / users), size=draws)


def by_users(label_UxQ: np.ndarray, logit_UxQ: np.ndarray, weight_DxU: np.ndarray) -> dict[str, np.ndarray]:
    """The same as `by_groups`, of users with equally many targets."""
    users, targets = label_UxQ.shape
    return by_groups(label_UxQ.ravel(), logit_UxQ.ravel(), np.repeat(np.arange(users), targets), weight_DxU)


def by_groups(
    label_R: np.ndarray, logit_R: np.ndarray, user_R: np.ndarray, weight_DxU: np.ndarray
) -> dict[str, np.ndarray]:
    """{"auc", "log_loss", "f1": (1 + D,)} of all users, and then of every resample; weights of the rows are made for a
    few resamples at a time.

    user_R: whose target each row is, from 0 below U.
    """
    users = weight_DxU.shape[1]
    weight_DxU = np.concatenate([np.ones((1, users)), weight_DxU])
    is_click, is_predicted = np.asarray(label_R) > 0, np.asarray(logit_R) >= 0

    def totals(values_R: np.ndarray) -> np.ndarray:
        return weight_DxU @ np.bincount(user_R, values_R, minlength=users)

    at_a_time = max(1, WEIGHTS // len(user_R))
    blocks = [weight_DxU[first : first + at_a_time] for first in range(0, len(weight_DxU), at_a_time)]
    return {
        "auc": np.concatenate([aucs(label_R, logit_R, block[:, user_R]) for block in blocks]),
        "log_loss": totals(log_loss(label_R, logit_R)) / totals(np.ones(len(user_R))),
        "f1": 2 * totals(is_click & is_predicted) / np.maximum(totals(is_click) + totals(is_predicted), 1),
    }
