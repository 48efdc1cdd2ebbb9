"""Measures of rankings against scikit-learn and sums written out; the task `recommend` against its own definition."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from analysis.metrics.ranking import chance, correlation_within, difference
from tasks import ranking
from tasks.recommend import Recommend
from tests.compiled import sampled

RANDOM = np.random.default_rng(0)
KEY = jax.random.key(0)
TINY = Recommend(num_context=6, num_queries=3, item_dim=4, slate=5)


TIED = RANDOM.poisson(0.5, (300, 50)).astype(float)  # few different scores, as counts have
RIGHT = RANDOM.integers(0, 50, 300)


@pytest.mark.parametrize("scores", [RANDOM.normal(size=(300, 50)), TIED], ids=["distinct", "tied"])
@pytest.mark.parametrize("k", [1, 5, 10, None])
def test_ndcg_is_that_of_scikit_learn(scores, k, float64):
    """scikit-learn averages the gains of tied candidates over their ranks; without a cut nDCG is Effect_D."""
    measured = ranking.metrics(scores, RIGHT)["effect" if k is None else f"ndcg_{k}"]
    expected = [ndcg_score(np.eye(50)[[i]], score[None], k=k) for i, score in zip(RIGHT, scores, strict=True)]
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-12)


def test_tied_scores_have_the_mean_over_random_orders(float64):
    """Every measure of scores with ties, against its mean over orders in which noise breaks them."""
    noise = RANDOM.uniform(0, 0.5, (4000, 20, 50))
    orders = jax.vmap(ranking.metrics, in_axes=(0, None))(TIED[:20] + noise, RIGHT[:20])
    for name, measured in ranking.metrics(TIED[:20], RIGHT[:20]).items():
        values = np.asarray(orders[name])
        error = values.std(0) / np.sqrt(len(values))
        assert (np.abs(values.mean(0) - measured) < 5 * error + 1e-9).all(), name
        assert error.max() < 0.01, "so that the comparison says something"


def test_ties_by_hand(float64):
    scores = np.array([[3, 2, 1, 0], [5, 5, 1, 0], [4, 4, 4, 0], [0, 0, 0, 0], [np.nan, 1, 2, 3], [np.inf] * 4], float)
    index = np.array([1, 0, 2, 3, 1, 0])
    ranks = ranking.ranks(scores, index)
    np.testing.assert_array_equal(ranks.first, [2, 1, 1, 1, np.nan, np.nan])
    np.testing.assert_array_equal(ranks.last, [2, 2, 3, 4, np.nan, np.nan])
    measured = ranking.metrics(scores, index)
    expected = [1 / 2, (1 + 1 / 2) / 2, (1 + 1 / 2 + 1 / 3) / 3, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, np.nan, np.nan]
    np.testing.assert_allclose(measured["mrr"], expected, rtol=1e-15)
    np.testing.assert_allclose(measured["ndcg_1"], [0, 1 / 2, 1 / 3, 1 / 4, np.nan, np.nan], rtol=1e-15)
    np.testing.assert_array_equal(measured["recall_10"], [1, 1, 1, 1, np.nan, np.nan])


def test_equal_scores_have_the_values_of_a_random_order(float64):
    measured = ranking.metrics(np.zeros((1, 50)), np.array([7]))
    assert {name: float(value[0]) for name, value in measured.items()} == pytest.approx(chance(50), rel=1e-12)


def test_values_by_chance(float64):
    expected = chance(50)
    assert [round(expected[name], 4) for name in ("ndcg_1", "ndcg_10", "recall_10", "effect")] == [
        0.02, 0.0909, 0.2, 0.258,
    ]  # fmt: skip
    measured = ranking.metrics(RANDOM.normal(size=(20_000, 50)), RANDOM.integers(0, 50, 20_000))
    for name, values in measured.items():
        error = np.std(values) / np.sqrt(len(values))
        assert abs(np.mean(values) - expected[name]) < 5 * error


def test_differences_are_paired():
    a = RANDOM.normal(size=100)
    row = difference("gain", a + 0.5, a)
    assert row == pytest.approx({"gain": 0.5, "gain.stderr": 0.0}, abs=1e-12)


def test_correlation_within_users_ignores_what_differs_between_them():
    a, b = RANDOM.normal(size=(2, 50, 8))
    expected = np.corrcoef((a - a.mean(1, keepdims=True)).ravel(), (b - b.mean(1, keepdims=True)).ravel())[0, 1]
    offsets = 100 * RANDOM.normal(size=(50, 1))
    assert correlation_within(a + offsets, b + offsets) == pytest.approx(expected, abs=1e-10)


def test_the_loss_is_cross_entropy_over_the_slate(float64):
    answer, items, index = RANDOM.normal(size=(2, 4)), RANDOM.normal(size=(2, 5, 4)), np.array([3, 0])
    scores = items @ answer[..., None]
    expected = [np.log(np.exp(s).sum()) - s[i] for s, i in zip(scores[..., 0], index, strict=True)]
    slate = ranking.Slate(jnp.array(items), jnp.array(index))
    np.testing.assert_allclose(TINY.loss(jnp.array(answer), slate), expected, rtol=1e-12)


def test_items_are_unit_vectors_and_the_constant_is_last():
    episodes = sampled(dataclasses.replace(TINY, constant=0.3), KEY, 10)
    x = episodes.prompt.context.x
    for items in (x[..., :-1], episodes.prompt.answers, episodes.target.items, episodes.prompt.query.x[..., :-1]):
        np.testing.assert_allclose(np.linalg.norm(items, axis=-1), 1, rtol=1e-5)
    np.testing.assert_allclose(x[..., -1], 0.3)


def test_choices_have_the_probabilities_of_the_softmax():
    """With the preferences known: how often the right candidate is the likeliest, against the mean probability."""
    task = dataclasses.replace(TINY, slate=3)
    people = jax.random.normal(KEY, (400, 2, 4)), jax.random.normal(jax.random.key(1), (400, 2, 4, 4))
    who = jnp.concatenate([jnp.zeros((400, 20), int), jnp.ones((400, 20), int)], axis=1)
    last, slate = task._choices(jax.random.key(2), people, who)
    taste, habit = (np.asarray(each)[np.arange(400)[:, None], who] for each in people)
    liked = 0.7 * taste + 1.5 * np.einsum("bmyx,bmx->bmy", habit, last)
    utility = 3 * np.einsum("bmsy,bmy->bms", slate.items, liked)
    likely = np.exp(utility - utility.max(-1, keepdims=True))
    likely /= likely.sum(-1, keepdims=True)
    right = likely.argmax(-1) == np.asarray(slate.index)
    for half in (slice(0, 20), slice(20, 40)):  # the user's, and the other person's
        surplus = (right - likely.max(-1))[:, half].ravel()
        assert abs(surplus.mean()) < 5 * surplus.std() / np.sqrt(surplus.size)


@pytest.mark.slow
def test_contamination_is_a_share_of_the_demonstrations():
    """Without sharpness choices do not depend on people; with all of it the user's own taste does not show."""

    def agreement(contamination):
        task = Recommend(num_context=40, num_queries=40, habit=0.0, sharpness=20.0, contamination=contamination)
        episodes = jax.jit(lambda: task.sample(KEY, 100))()
        mean = np.asarray(episodes.prompt.answers).mean(1)
        taken = np.take_along_axis(
            np.asarray(episodes.target.items), np.asarray(episodes.target.index)[..., None, None], axis=2
        )[:, :, 0].mean(1)
        cosine = np.sum(mean * taken, -1) / np.linalg.norm(mean, axis=-1) / np.linalg.norm(taken, axis=-1)
        return cosine.mean()

    none, half, whole = (agreement(share) for share in (0.0, 0.5, 1.0))
    assert none > 0.98  # the mean of what is taken points along the taste
    assert abs(whole) < 5 / np.sqrt(6 * 100)
    assert 0.6 < half < 0.85  # the mean of two independent directions: cosine about 1 / sqrt(2)


def test_any_count_shows_a_prefix_of_every_length():
    visible = np.asarray(sampled(dataclasses.replace(TINY, any_count=True), KEY, 300).prompt.visible)
    assert visible.shape == (300, 3, 6)
    assert (visible == visible[:, :1]).all()
    assert (visible[..., :-1] >= visible[..., 1:]).all()
    assert {*visible.sum(-1).ravel()} == {*range(1, 7)}
    assert sampled(TINY, KEY, 2).prompt.visible is None
