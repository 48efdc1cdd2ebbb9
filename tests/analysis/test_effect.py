"""Effect_D against scikit-learn's NDCG, Spearman's correlation against SciPy's."""

import jax.numpy as jnp
import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import ndcg_score

from analysis.metrics.effect import effect, spearman

RANDOM = np.random.default_rng(0)


def test_effect_is_ndcg_with_one_relevant_item(float64):
    answers, labels = RANDOM.normal(size=(50, 6)), RANDOM.integers(0, 6, 50)
    expected = [ndcg_score(np.eye(6)[[label]], answer[None]) for answer, label in zip(answers, labels, strict=True)]
    np.testing.assert_allclose(effect(jnp.asarray(answers), jnp.asarray(labels)), expected, atol=1e-12)


def test_effect_by_hand(float64):
    """Ranks 1 and 3; the means over 1 and 2, and over 1, 2 and 3, of those that tie at the top; and no number."""
    answers = np.array([[3, 2, 1, 0], [3, 2, 1, 0], [5, 5, 1, 0], [4, 4, 4, 0], [3, np.nan, 1, 0]], float)
    second = 1 / np.log2(3)
    expected = [1, 0.5, (1 + second) / 2, (1 + second + 0.5) / 3, np.nan]
    np.testing.assert_allclose(effect(jnp.asarray(answers), jnp.array([0, 2, 1, 0, 0])), expected, atol=1e-12)


def test_effect_of_ties_is_scikit_learns(float64):
    answers, labels = RANDOM.integers(0, 3, (50, 6)).astype(float), RANDOM.integers(0, 6, 50)
    expected = [ndcg_score(np.eye(6)[[label]], answer[None]) for answer, label in zip(answers, labels, strict=True)]
    np.testing.assert_allclose(effect(jnp.asarray(answers), jnp.asarray(labels)), expected, atol=1e-12)


def test_spearman_is_scipys_with_and_without_ties():
    a, b = RANDOM.normal(size=(2, 20, 16))
    for first, second in ((a, b), (np.round(a), np.round(b))):
        expected = [spearmanr(x, y).statistic for x, y in zip(first, second, strict=True)]
        np.testing.assert_allclose(spearman(first, second), expected, atol=1e-12)
    np.testing.assert_array_equal(np.isnan(spearman(np.array([[1, 1, 1], [1, 2, 3]]), a[:2, :3])), [True, False])
