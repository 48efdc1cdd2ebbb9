"""The steadiness of retrieval by dot products, beside a plain sort of all products in double precision."""

import numpy as np
import pytest

from tasks.datasets import neighbours
from tasks.datasets.normalization import Normalizer
from tasks.datasets.settings import Normalization

RNG = np.random.default_rng(0)
TRAIN, TEST = RNG.normal(size=(200, 4)) * [1, 10, 100, 0], RNG.normal(size=(30, 4)) * [1, 10, 100, 0]


def retrieved(queries, corpus, count):
    return [set(np.argsort(-(corpus @ query))[:count].tolist()) for query in queries]


@pytest.mark.parametrize("how", [Normalization.zscore, Normalization.minmax, Normalization.none])
def test_the_share_that_is_kept(how):
    """The noise is a tenth of each column's deviation, in the table's own units; a constant column has none."""
    normalizer = Normalizer(how, TRAIN)
    corpora = {"inputs": normalizer(TRAIN), "other": RNG.normal(size=TRAIN.shape)}
    rows = neighbours.retrieval(normalizer, TEST, corpora, 5)
    noise = 0.1 * TRAIN.std(axis=0) * np.random.default_rng(0).normal(size=TEST.shape)
    for row, (name, corpus) in zip(rows, corpora.items(), strict=True):
        first, second = (retrieved(normalizer(x), corpus, 5) for x in (TEST, TEST + noise))
        shares = [len(a & b) / 5 for a, b in zip(first, second, strict=True)]
        assert row["corpus"] == name
        assert row["kept"] == pytest.approx(np.mean(shares))
        assert row["kept.stderr"] == pytest.approx(np.std(shares, ddof=1) / np.sqrt(30))
        times = np.bincount([document for each in first for document in each])
        assert row["different"] == np.sum(times > 0)
        assert row["most_frequent"] == pytest.approx(sorted(times)[-10:] @ np.ones(10) / 150)
    assert 0.2 < rows[0]["kept"] < 1, "some rows change"


def test_one_long_row_is_what_every_query_retrieves():
    corpus = np.ones((50, 4))
    corpus[7] = 100
    normalizer = Normalizer(Normalization.minmax, TRAIN)
    (row,) = neighbours.retrieval(normalizer, TEST[:, :4], {"inputs": corpus}, 1)
    assert (row["kept"], row["different"], row["most_frequent"]) == (1.0, 1, 1.0)
