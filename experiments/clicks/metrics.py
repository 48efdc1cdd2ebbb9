"""Measures of predicted probabilities of clicks: AUC, log loss and F1, with standard errors over users.

All of a user's clicks depend on one another, so errors are computed by resampling users (Efron 1979). The same
resamples serve every model that has answered the same users, so differences are paired.
"""

import numpy as np

DRAWS = 200
GROUPS = 32  # of users, one of which is left out at a time
WEIGHTS = 2**21  # weights of rows in memory at a time


def auc(label_R: np.ndarray, score_R: np.ndarray) -> float:
    """Return the area under the ROC curve: the probability that a click has a higher score than a row without a click.

    Ties count half. NaN where all rows are clicks, or none is, or a score is NaN.
    """
    return float(aucs(label_R, score_R, np.ones((1, len(label_R))))[0])


def aucs(label_R: np.ndarray, score_R: np.ndarray, weight_DxR: np.ndarray) -> np.ndarray:
    """Return the area under the ROC curve for each of D weightings of the rows, (D,), with a single sort."""
    order = np.argsort(score_R, kind="stable")
    score, is_click = np.asarray(score_R)[order], np.asarray(label_R)[order] > 0
    weight = np.asarray(weight_DxR, np.float64)[:, order]
    starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
    clicks = np.add.reduceat(weight * is_click, starts, axis=1)
    others = np.add.reduceat(weight * ~is_click, starts, axis=1)
    lower = np.cumsum(others, axis=1) - others  # rows without a click that have a lower score
    with np.errstate(invalid="ignore", divide="ignore"):
        area_D = np.sum(clicks * (lower + others / 2), axis=1) / (clicks.sum(axis=1) * others.sum(axis=1))
    return np.where(np.isnan(score).any(), np.nan, area_D)


def log_loss(label_R: np.ndarray, logit_R: np.ndarray) -> np.ndarray:
    """Return -log p of what happened (a click or none), in nats, from the logit of a click, (R,)."""
    signed = np.where(np.asarray(label_R) > 0, 1.0, -1.0) * np.asarray(logit_R, np.float64)
    with np.errstate(invalid="ignore"):  # of a decoder that has diverged, which the caller says
        return np.logaddexp(0, -signed)


def resamples(users: int, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Return how often each user occurs in each of D samples of U users with replacement, (D, U).

    The result depends on the arguments alone, so it is the same for every model.
    """
    return np.random.default_rng(seed).multinomial(users, np.full(users, 1 / users), size=draws)


def left_out(users: int) -> np.ndarray:
    """Return the weights of U users in G parts of them, each without one of `GROUPS` groups, (G, U).

    User u is in group u modulo G; of fewer users each is a group.
    """
    groups = min(GROUPS, users)
    return (np.arange(users)[None] % groups != np.arange(groups)[:, None]).astype(float)


def parts_of_groups(values_G1: np.ndarray) -> np.ndarray:
    """Return the part (G,) of each group of users in a measure, from the measure of all and without each group.

    The square root of G / (G - 1) sum_g part_g^2 is the jackknife's standard error over users (Tukey 1958), and parts
    of two models on the same users may be subtracted from one another: part_g = (G - 1) / G (value without g - their
    mean).
    """
    values_G = values_G1[1:]
    return (len(values_G) - 1) / len(values_G) * (values_G - values_G.mean())


def by_groups(
    label_R: np.ndarray, logit_R: np.ndarray, user_R: np.ndarray, weight_DxU: np.ndarray
) -> dict[str, np.ndarray]:
    """Return {"auc", "log_loss", "f1": (1 + D,)}: first the value over all users, then that of each resample. All are
    NaN where a logit is NaN. F1 is of clicks, which p >= 1/2 predicts; 0 where no click is predicted right.

    user_R: the number of the user whose target each row is, from 0 to U - 1. weight_DxU: see `resamples`; weights of
    rows are made from it for a few resamples at a time, to limit memory.
    """
    users = weight_DxU.shape[1]
    weight_DxU = np.concatenate([np.ones((1, users)), weight_DxU])
    is_click, is_predicted = np.asarray(label_R) > 0, np.asarray(logit_R) >= 0

    def totals(values_R: np.ndarray) -> np.ndarray:
        return weight_DxU @ np.bincount(user_R, values_R, minlength=users)

    right_D, predicted_D = totals(is_click & is_predicted), totals(is_click) + totals(is_predicted)
    at_a_time = max(1, WEIGHTS // len(user_R))
    blocks = [weight_DxU[first : first + at_a_time] for first in range(0, len(weight_DxU), at_a_time)]
    return {
        "auc": np.concatenate([aucs(label_R, logit_R, block[:, user_R]) for block in blocks]),
        "log_loss": totals(log_loss(label_R, logit_R)) / totals(np.ones(len(user_R))),
        "f1": np.where(np.isnan(logit_R).any(), np.nan, 2 * right_D / np.maximum(predicted_D, 1)),
    }
