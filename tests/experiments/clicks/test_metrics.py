"""AUC, log loss and F1 of clicks against scikit-learn's, and their errors against samples of users drawn anew."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss, roc_auc_score

from experiments.clicks import metrics
from experiments.clicks.metrics import auc, by_groups, resamples


def clicks(seed=0, counts=(6,) * 40):
    """Labels, logits with ties, and users of so many targets each."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(len(counts)), counts)
    logit = np.round(rng.normal(size=len(user)) + rng.normal(size=len(counts))[user], 1)
    return (rng.random(len(user)) < 1 / (1 + np.exp(-logit))).astype(int), logit, user


@pytest.mark.parametrize("at_a_time", [1, 2**21])
def test_measures_of_all_users_and_of_resamples_are_scikit_learns(at_a_time, monkeypatch):
    """Users have unequally many targets; those that are drawn count more than once."""
    monkeypatch.setattr(metrics, "WEIGHTS", at_a_time)
    label, logit, user = clicks(counts=(1, 5, 2, 9, 4, 3, 6))
    weight_DxU = resamples(7, draws=5)
    assert np.all(weight_DxU.sum(axis=1) == 7)
    result = by_groups(label, logit, user, weight_DxU)
    assert result["auc"][0] == pytest.approx(auc(label, logit), abs=1e-12)
    for draw, weight_U in enumerate([np.ones(7), *weight_DxU]):
        weight, p = weight_U[user], 1 / (1 + np.exp(-logit))
        assert result["auc"][draw] == pytest.approx(roc_auc_score(label, logit, sample_weight=weight), abs=1e-12)
        assert result["log_loss"][draw] == pytest.approx(log_loss(label, p, sample_weight=weight), abs=1e-12)
        assert result["f1"][draw] == pytest.approx(f1_score(label, logit >= 0, sample_weight=weight), abs=1e-12)


@pytest.mark.parametrize(
    ("label", "logit", "expected"),
    [
        ([1, 1, 1], [-1.0, 0.0, 1.0], [np.nan, 0.8]),  # one class has no AUC
        ([1, 0], [-1.0, 1.0], [0, 0]),
        ([0, 0], [-1.0, -1.0], [np.nan, 0]),
        ([0, 1], [0.0, np.nan], [np.nan, np.nan]),  # a sort would put it above all others
    ],
)
def test_what_has_no_measure(label, logit, expected):
    result = by_groups(np.array(label), np.array(logit), np.arange(len(label)), np.zeros((0, len(label))))
    np.testing.assert_allclose([result["auc"][0], result["f1"][0]], expected)
    assert np.isnan(result["log_loss"][0]) == np.isnan(logit).any()


def test_errors_are_those_of_other_users():
    """Of 200 worlds of 40 users the spread is known to 5%, and each estimate of it is rough; their mean is not."""
    worlds = [clicks(seed) for seed in range(200)]
    spread = np.std([auc(label, logit) for label, logit, _ in worlds])
    errors = [by_groups(*world, resamples(40))["auc"][1:].std() for world in worlds[:30]]
    assert np.mean(errors) == pytest.approx(spread, rel=0.2)
