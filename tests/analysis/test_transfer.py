"""The measures of in-context learning against fine-tuning, and of sets of demonstrations, against plain NumPy, SciPy
and scikit-learn; and the bootstrap."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import ndcg_score

from analysis.metrics.effect import effect, spearman
from analysis.metrics.transfer import kendall, sim_am, sim_aou
from experiments.demonstrations.icl_vs_finetune.rows import bootstrap

RANDOM = np.random.default_rng(0)
L, Q, D, H, S = 2, 5, 6, 3, 4


def cos(a, b):
    return a @ b / np.sqrt(a @ a * (b @ b))


def unit(a):
    return a / np.sqrt(a @ a)


def test_sim_aou_is_the_cosine_of_updates_of_unit_outputs(float64):
    zero, context, tuned = RANDOM.normal(size=(3, L, Q, D))
    plain, centred = sim_aou(zero, context, tuned)
    for layer in range(L):
        updates = [[unit(other[layer, q]) - unit(zero[layer, q]) for q in range(Q)] for other in (context, tuned)]
        means = [np.mean(each, axis=0) for each in updates]
        for q in range(Q):
            np.testing.assert_allclose(plain[layer, q], cos(updates[0][q], updates[1][q]), atol=1e-12)
            off = [updates[i][q] - means[i] for i in range(2)]
            np.testing.assert_allclose(centred[layer, q], cos(*off), atol=1e-12)


def test_sim_aou_of_what_is_the_same_and_of_what_queries_share(float64):
    """A shared update that is large makes the plain measure nearly one, and means nothing for the centred one."""
    zero, noise_a, noise_b = RANDOM.normal(size=(3, L, 2000, D))
    plain, centred = sim_aou(zero, noise_a, noise_a)
    np.testing.assert_allclose([plain, centred], 1.0, atol=1e-12)
    zero = 1e-3 * zero + np.eye(D)[0]  # all nearly one direction, and both updates lead to nearly another
    plain, centred = sim_aou(zero, 0.1 * noise_a + np.eye(D)[1], 0.1 * noise_b + np.eye(D)[1])
    assert np.mean(plain) > 0.9
    assert abs(np.mean(centred)) < 5 / np.sqrt(L * 2000 * D)


def test_sim_am_averages_over_heads(float64):
    a, b = RANDOM.normal(size=(2, L, H, Q, S))
    expected = np.mean([[[cos(a[i, h, q], b[i, h, q]) for q in range(Q)] for h in range(H)] for i in range(L)], axis=1)
    np.testing.assert_allclose(sim_am(a, b), expected, atol=1e-12)


def test_kendall_is_scipys_where_nothing_ties(float64):
    a, b = RANDOM.normal(size=(2, 7, 9))
    expected = [kendalltau(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(kendall(a, b), expected, atol=1e-12)


def test_bootstrap_of_a_mean_and_of_a_ratio():
    """The error of a mean is s / sqrt(B); that of a ratio is the delta method's. A thousand draws tell an error to
    2.2%, and the two formulas differ by 1/B: within 10%."""
    below = RANDOM.poisson(3, 400).astype(float)
    above = RANDOM.binomial(below.astype(int), 0.8).astype(float)
    value, error = bootstrap(lambda total: total / 400, above)
    assert value == above.mean()
    np.testing.assert_allclose(error, above.std() / 20, rtol=0.1)
    value, error = bootstrap(lambda a, b: a / b, above, below)
    ratio = above.sum() / below.sum()
    assert value == ratio
    np.testing.assert_allclose(error, np.sqrt(np.sum((above - ratio * below) ** 2)) / below.sum(), rtol=0.1)


def test_bootstrap_of_a_share_of_nothing_is_no_number():
    value, error = bootstrap(lambda a, b: a / b, np.zeros(5), np.zeros(5))
    assert np.isnan([value, error]).all()


@pytest.mark.parametrize("answers", [RANDOM.normal(size=(50, 6)), RANDOM.integers(0, 3, (50, 6)).astype(float)])
def test_effect_is_ndcg_with_one_relevant_item_with_and_without_ties(answers, float64):
    labels = RANDOM.integers(0, 6, 50)
    expected = [ndcg_score(np.eye(6)[[label]], answer[None]) for answer, label in zip(answers, labels, strict=True)]
    np.testing.assert_allclose(effect(jnp.asarray(answers), jnp.asarray(labels)), expected, atol=1e-12)


def test_effect_by_hand(float64):
    """Ranks 1 and 3; the means over 1 and 2, and over 1, 2 and 3, of those that tie at the top; and no number."""
    answers = np.array([[3, 2, 1, 0], [3, 2, 1, 0], [5, 5, 1, 0], [4, 4, 4, 0], [3, np.nan, 1, 0]], float)
    second = 1 / np.log2(3)
    expected = [1, 0.5, (1 + second) / 2, (1 + second + 0.5) / 3, np.nan]
    np.testing.assert_allclose(effect(jnp.asarray(answers), jnp.array([0, 2, 1, 0, 0])), expected, atol=1e-12)


def test_spearman_is_scipys_with_and_without_ties():
    a, b = RANDOM.normal(size=(2, 20, 16))
    for first, second in ((a, b), (np.round(a), np.round(b))):
        expected = [spearmanr(x, y).statistic for x, y in zip(first, second, strict=True)]
        np.testing.assert_allclose(spearman(first, second), expected, atol=1e-12)
    np.testing.assert_array_equal(np.isnan(spearman(np.array([[1, 1, 1], [1, 2, 3]]), a[:2, :3])), [True, False])
