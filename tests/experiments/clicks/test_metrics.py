"""AUC, log loss and F1 of clicks against scikit-learn's, and their errors against samples of users drawn anew."""

import numpy as np
import pytest
from sklearn import metrics

from experiments.clicks.metrics import auc, aucs, by_users, f1, log_loss, resamples


def clicks(users=40, targets=6, seed=0, ties=True):
    random = np.random.default_rng(seed)
    logit = random.normal(size=(users, targets)) + random.normal(size=(users, 1))
    if ties:
        logit = np.round(logit, 1)
    return (random.random(logit.shape) < 1 / (1 + np.exp(-logit))).astype(int), logit


@pytest.mark.parametrize("ties", [False, True])
def test_metrics_are_scikit_learns(ties):
    label, logit = (each.ravel() for each in clicks(ties=ties))
    probability = 1 / (1 + np.exp(-logit))
    weight = np.random.default_rng(1).integers(0, 4, label.size).astype(float)
    assert auc(label, logit) == pytest.approx(metrics.roc_auc_score(label, logit), abs=1e-12)
    expected = metrics.roc_auc_score(label, logit, sample_weight=weight)
    assert auc(label, logit, weight) == pytest.approx(expected, abs=1e-12)
    assert log_loss(label, logit).mean() == pytest.approx(metrics.log_loss(label, probability), abs=1e-12)
    assert f1(label, logit) == pytest.approx(metrics.f1_score(label, logit >= 0), abs=1e-12)


def test_with_one_class_there_is_no_auc_and_without_hits_no_f1():
    assert np.isnan(auc(np.ones(3), np.arange(3.0)))
    assert f1(np.array([1, 0]), np.array([-1.0, 1.0])) == 0
    assert f1(np.zeros(2), -np.ones(2)) == 0


def test_a_logit_that_is_none_has_no_measures():
    """A sort would put it above all others."""
    label, logit = clicks(users=7)
    logit[2, 1] = np.nan
    assert np.isnan([auc(label.ravel(), logit.ravel()), f1(label.ravel(), logit.ravel())]).all()
    result = by_users(label, logit, resamples(7, draws=3))
    assert all(np.isnan(result[name][0]) for name in ("auc", "log_loss", "f1"))


def test_resampled_users_are_users_counted_more_than_once():
    label, logit = clicks(users=7)
    weight_DxU = resamples(7, draws=3)
    assert np.all(weight_DxU.sum(axis=1) == 7)
    result = by_users(label, logit, weight_DxU)
    for number, counts in enumerate([np.ones(7), *weight_DxU]):
        rows = np.repeat(np.arange(7), counts.astype(int))
        pooled = label[rows].ravel(), logit[rows].ravel()
        assert result["auc"][number] == pytest.approx(metrics.roc_auc_score(*pooled), abs=1e-12)
        assert result["log_loss"][number] == pytest.approx(log_loss(*pooled).mean(), abs=1e-12)
        assert result["f1"][number] == pytest.approx(metrics.f1_score(pooled[0], pooled[1] >= 0), abs=1e-12)


def test_errors_are_those_of_other_users():
    """Of 200 worlds of 40 users the spread is known to 5%, and each estimate of it is rough; their mean is not."""
    worlds = [clicks(seed=seed) for seed in range(200)]
    spread = np.std([auc(label.ravel(), logit.ravel()) for label, logit in worlds])
    weight_DxU = resamples(40)
    errors = [by_users(*world, weight_DxU)["auc"][1:].std() for world in worlds[:30]]
    assert np.mean(errors) == pytest.approx(spread, rel=0.2)


def test_many_weightings_are_each_alone():
    label, logit = (each.ravel() for each in clicks())
    weight = np.random.default_rng(2).random((3, label.size))
    np.testing.assert_allclose(aucs(label, logit, weight), [auc(label, logit, row) for row in weight], atol=1e-12)
