"""AUC, log loss and F1 of users with unequally many targets, against scikit-learn with weights."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss, roc_auc_score

from experiments.clicks import metrics


@pytest.fixture
def answers():
    """Labels, logits with ties, users."""
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(7), [1, 5, 2, 9, 4, 3, 6])
    return rng.integers(0, 2, len(user)), np.round(rng.normal(size=len(user)), 1), user


@pytest.mark.parametrize("at_a_time", [1, 2**21])
def test_users_with_unequally_many_targets(answers, at_a_time, monkeypatch):
    monkeypatch.setattr(metrics, "WEIGHTS", at_a_time)
    label, logit, user = answers
    weight_DxU = metrics.resamples(7, draws=5)
    result = metrics.by_groups(label, logit, user, weight_DxU)
    for draw, weight_U in enumerate([np.ones(7), *weight_DxU]):
        weight, p = weight_U[user], 1 / (1 + np.exp(-logit))
        assert result["auc"][draw] == pytest.approx(roc_auc_score(label, logit, sample_weight=weight), abs=1e-12)
        assert result["log_loss"][draw] == pytest.approx(log_loss(label, p, sample_weight=weight), abs=1e-12)
        assert result["f1"][draw] == pytest.approx(f1_score(label, logit >= 0, sample_weight=weight), abs=1e-12)


def test_users_with_equally_many_are_a_case_of_it():
    rng = np.random.default_rng(1)
    label, logit = rng.integers(0, 2, (6, 5)), rng.normal(size=(6, 5))
    weight_DxU = metrics.resamples(6, draws=3)
    rectangular = metrics.by_users(label, logit, weight_DxU)
    groups = metrics.by_groups(label.ravel(), logit.ravel(), np.repeat(np.arange(6), 5), weight_DxU)
    for name, values in groups.items():
        np.testing.assert_array_equal(values, rectangular[name])
    np.testing.assert_allclose(rectangular["log_loss"][0], log_loss(label.ravel(), 1 / (1 + np.exp(-logit.ravel()))))
