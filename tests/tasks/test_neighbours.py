"""Neighbours of rows: what is said of them, counted one by one, and the steadiness of their retrieval, beside a plain
sort of all products in double precision."""

import collections

import numpy as np
import pytest

from tasks.datasets import neighbours
from tasks.datasets.normalization import Normalizer
from tasks.datasets.settings import Normalization
from tasks.datasets.table import Table

RNG = np.random.default_rng(0)


def some_table(**changes):
    """Small whole numbers, so that many rows are equal."""
    return Table(("a", "b"), RNG.integers(0, 3, (60, 2)).astype(float), RNG.integers(0, 2, 60).astype(float), **changes)


def test_test_rows_that_are_training_rows():
    table, rows = some_table(), {"train": np.arange(5, 25), "test": np.arange(30, 60)}
    whole = [(*x, y) for x, y in zip(table.x, table.y, strict=True)]
    count = sum(whole[test] in [whole[train] for train in rows["train"]] for test in rows["test"])
    inputs_alone = sum(whole[test][:2] in [whole[train][:2] for train in rows["train"]] for test in rows["test"])
    assert 0 < count < inputs_alone, "the target counts"
    (note,) = neighbours.rows_in_both(table, rows)
    assert note == f"{count} of 30 test rows are equal to a training row (inputs and target)"


def test_how_to_leave_them_out_is_said_where_there_is_a_way():
    rows = {"train": np.arange(30), "test": np.arange(30, 60)}
    (note,) = neighbours.rows_in_both(some_table(without_repeats="data=some data.once=true"), rows)
    assert note.endswith("; data=some data.once=true leaves out rows that repeat another")


def test_nothing_is_said_of_rows_that_are_all_different():
    table = Table(("a",), np.arange(60.0)[:, None], np.zeros(60))
    assert neighbours.rows_in_both(table, {"train": np.arange(30), "test": np.arange(30, 60)}) == []


@pytest.mark.parametrize("rows", [6, 400])
def test_which_rows_are_documents(rows):
    """Of fewer than ten different rows, all are the most frequent."""
    documents = np.minimum(RNG.integers(0, 400, (50, 5)), RNG.integers(0, 400, (50, 5))) % rows
    times = collections.Counter(documents.ravel().tolist())
    most = times.most_common(10)
    share = sum(count for _, count in most) / 250
    assert neighbours.documents_of_tests(documents, 1234) == (
        f"the documents of all 50 test queries are {len(times)} of the 1,234 training rows; "
        f"the {len(most)} most frequent make up {100 * share:.1f}% of them"
    )


TRAIN, TEST = np.split(np.random.default_rng(0).normal(size=(230, 4)) * [1, 10, 100, 0], [200])


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
