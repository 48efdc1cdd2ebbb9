"""Measuring on a log, from the inside: sliding windows and streams, targets that are left out, baselines."""

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from experiments.clicks.click_log import baselines, evaluation
from experiments.clicks.click_log.evaluation import Evaluator
from experiments.clicks.click_log.session import DECODER
from experiments.clicks.metrics import auc
from experiments.clicks.tables import SLIDING, STREAMING
from lab.config.choices import Position, StreamScheme
from lab.layouts.stream import NOTHING
from tasks.logs.log import ClickLog
from tests.experiments.clicks.click_log.click_logs import LOG, begun, settings_of

pytestmark = pytest.mark.slow  # whole experiments


@pytest.mark.parametrize("scheme", [StreamScheme.split, StreamScheme.local])
@pytest.mark.parametrize("targets", [4, 7])
@pytest.mark.usefixtures("float64")
def test_exact_schemes_answer_alike_in_windows_and_in_streams(scheme, targets):
    """Users, prompts and interactions of unequal lengths; a number of targets that does not divide."""
    settings = settings_of(scheme=scheme, targets=targets, positions=Position.rope)
    evaluator = Evaluator(begun(settings), settings, LOG)
    for split in ("validation", "test"):
        sliding, streaming = (evaluator.logits(split, name) for name in (SLIDING, STREAMING))
        assert np.std(sliding) > 0.1
        np.testing.assert_allclose(sliding, streaming, atol=1e-12)


def test_a_scheme_that_is_not_exact_answers_otherwise():
    settings = settings_of(scheme=StreamScheme.naive)
    evaluator = Evaluator(begun(settings), settings, LOG)
    assert np.abs(evaluator.logits("test", SLIDING) - evaluator.logits("test", STREAMING)).max() > 1e-3


def test_an_evaluation_that_leaves_targets_out_is_refused(monkeypatch):
    settings = settings_of()
    evaluator = Evaluator(begun(settings), settings, LOG)
    assert evaluator.logits("test", SLIDING).shape == (1, LOG.size["test"])
    real = evaluation.in_order
    monkeypatch.setattr(evaluation, "in_order", lambda count, size: real(count - 1, size))
    with pytest.raises(RuntimeError, match="do not hold each of its targets once"):
        evaluator.logits("test", SLIDING)


def test_both_evaluations_of_the_curves_have_the_same_targets():
    settings = settings_of()
    evaluator = Evaluator(begun(settings), settings, LOG)
    chosen = evaluator._validation
    assert 0 < len(chosen) <= 30 < LOG.size["validation"]
    assert {*chosen.tolist()} <= {*evaluation.targets_of(LOG, "validation").tolist()}
    users = LOG.bounds[:, 3].searchsorted(chosen, side="right")
    assert len({*users.tolist()}) > 4, "spread over the users"
    assert evaluator.logits("validation", SLIDING).shape == evaluator.logits("validation", STREAMING).shape
    loss = evaluator.curve()["loss"]
    np.testing.assert_array_equal(loss[DECODER]["mean"], loss[SLIDING]["mean"])


def test_the_logistic_regression_is_scikit_learn_s_on_a_dense_table():
    result, notes = baselines.logits(LOG, num_context=3, most=10_000)
    assert len(notes) == 1
    training_rows = [row for bounds in LOG.bounds for row in range(bounds[0], bounds[1])]
    rate = LOG.label[training_rows].mean()

    def dense(row, start):
        x = np.zeros(10)
        for token in LOG.features[row]:
            x[token] += token != NOTHING
        before = LOG.label[max(start, row - 3) : row]
        return np.append(x[:9], before.mean() if len(before) else rate)

    def table(first, last):
        rows = [(row, bounds[0]) for bounds in LOG.bounds for row in range(bounds[first], bounds[last])]
        return np.array([dense(*each) for each in rows]), LOG.label[[row for row, _ in rows]]

    model = LogisticRegression(max_iter=1000).fit(*table(0, 1))
    np.testing.assert_allclose(result["logistic"], model.decision_function(table(2, 3)[0]), atol=1e-3)  # its tolerance
    np.testing.assert_allclose(1 / (1 + np.exp(-result["rate"])), rate)


def test_without_both_classes_there_is_no_regression():
    label = np.array(LOG.label)
    training_rows = np.concatenate([np.arange(a, b) for a, b in LOG.bounds[:, :2]])
    label[training_rows] = 0
    label[training_rows[-2]] = 1
    result, notes = baselines.logits(dataclasses.replace(LOG, label=label), num_context=2, most=3)
    assert {*result} == {"rate"}
    assert "one class" in notes[0]


def test_the_rate_of_an_item_is_counted_by_hand():
    """Without an item the last one of the vocabulary's numbers stands for it."""
    log = dataclasses.replace(LOG, item=2)
    training_rows = [row for bounds in log.bounds for row in range(bounds[0], bounds[1])]
    rate = log.label[training_rows].mean()
    logits = []
    for row in (row for bounds in log.bounds for row in range(bounds[2], bounds[3])):
        same = [log.label[each] for each in training_rows if log.features[each, 2] == log.features[row, 2]]
        p = (sum(same) + 5 * rate) / (len(same) + 5)
        logits.append(np.log(p / (1 - p)))
    np.testing.assert_allclose(baselines.logits(log, num_context=3, most=20)[0]["item"], logits)
    assert np.std(logits) > 0.05


def test_trees_beat_the_regression_where_only_pairs_tell():
    """The label is whether two tokens are alike, which no sum of their weights says; and no more is known of a test
    target than its tokens and the labels before it: others in their places change no answer to an earlier one."""
    rng = np.random.default_rng(0)
    tokens = rng.integers(1, 3, (3000, 2))
    label = (tokens[:, 0] == tokens[:, 1]).astype(np.int8)
    features = np.stack([tokens[:, 0], tokens[:, 1] + 3], axis=1).astype(np.int32)
    bounds = np.array([[0, 1800, 1900, 3000]])
    log = ClickLog(None, features, label, np.arange(3000), bounds, ("a", "b"), (0, 1), (0, 3, 6), (0, 0), ())
    first = baselines.logits(log, num_context=3, most=10_000)[0]
    assert auc(label[1900:], first["boosted"]) > 0.95
    assert auc(label[1900:], first["logistic"]) < 0.6
    features[2000:], label[2000:] = features[2000:][::-1].copy(), 1 - label[2000:]
    again = baselines.logits(log, num_context=3, most=10_000)[0]
    for name, logit in again.items():
        np.testing.assert_array_equal(logit[:100], first[name][:100])
