"""Neighbours of each row of a table: training rows with the largest dot products, and rows at the smallest distance."""

from collections.abc import Mapping

import numpy as np

from tasks.datasets.columns import Retrieved
from tasks.datasets.normalization import Normalizer
from tasks.datasets.table import Table

SCORES = 2**24  # the number of dot products in memory at a time


def documents(inputs: dict[str, np.ndarray], count: int) -> dict[str, np.ndarray]:
    """Return {split: (R, count)}, the numbers of the training rows with the largest dot products with each row.

    Args:
        inputs: {"train": (R_train, F), "test": (R_test, F)}, normalised as they are to be multiplied.
    """
    corpus = inputs["train"]
    return {name: best_by_dot_product(x, corpus, count, own=name == "train") for name, x in inputs.items()}


def best_by_dot_product(queries: np.ndarray, corpus: np.ndarray, count: int, own: bool) -> np.ndarray:
    """Return for each query the numbers of the corpus rows with the largest dot products (R, count), best first.

    Args:
        queries: (R, F), corpus: (R_corpus, F).
        own: true if query i is row i of the corpus, which is then not retrieved for itself.
    """
    highest, rows = [], max(1, SCORES // len(corpus))
    for start in range(0, len(queries), rows):
        scores = queries[start : start + rows] @ corpus.T
        if own:
            scores[np.arange(len(scores)), start + np.arange(len(scores))] = -np.inf
        best = np.argpartition(scores, -count, axis=1)[:, -count:]
        order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1, kind="stable")
        highest.append(np.take_along_axis(best, order, axis=1))
    return np.concatenate(highest).astype(np.int32)


def nearest_others(x: np.ndarray, count: int) -> np.ndarray:
    """Return for each row of x (R, F) the numbers of the other rows at the smallest Euclidean distance (R, count)."""
    from sklearn.neighbors import NearestNeighbors

    if count == 0:
        return np.zeros((len(x), 0), np.int32)
    return NearestNeighbors(n_neighbors=count).fit(x).kneighbors(return_distance=False).astype(np.int32)


MOST_FREQUENT = 10


def rows_in_both(table: Table, rows: dict[str, np.ndarray]) -> list[str]:
    """Return a note with the number of test rows that are equal to a training row in inputs and target, if any are.

    Args:
        rows: the numbers of the rows of each split, "train" and "test".
    """
    values = np.unique(np.column_stack([table.x, table.y]), axis=0, return_inverse=True)[1].ravel()
    equal = int(np.sum(np.isin(values[rows["test"]], values[rows["train"]])))
    if not equal:
        return []
    how = f"; {table.without_repeats} leaves out rows that repeat another" if table.without_repeats else ""
    be = "is" if equal == 1 else "are"
    return [f"{equal:,} of {len(rows['test']):,} test rows {be} equal to a training row (inputs and target){how}"]


def frequencies(documents: np.ndarray) -> np.ndarray:
    """Return how often each of the different documents (R, K) is among them, the most frequent first."""
    return np.sort(np.unique(documents, return_counts=True)[1])[::-1]


def documents_of_tests(documents: np.ndarray, training_rows: int) -> str:
    """Return a note with the number of different training rows among the documents (R, K) of the test rows, and the
    share of the most frequent ones."""
    times = frequencies(documents)
    share, most = times[:MOST_FREQUENT].sum() / times.sum(), min(MOST_FREQUENT, len(times))
    return (
        f"the documents of all {len(documents):,} test queries are {len(times):,} of the {training_rows:,} training "
        f"rows; the {most} most frequent make up {share:.1%} of them"
    )


NOISE = 0.1  # standard deviation of the noise on an input, in those of its column in the training rows


def retrieval(normalizer: Normalizer, queries: np.ndarray, corpora: Mapping[str, np.ndarray], count: int) -> list[dict]:
    """Return the rows of retrieval.csv.

    The steadiness of retrieval by dot products under a normalisation: the share of the documents that a query which is
    slightly different retrieves again, and the share of the rows that are retrieved most.

    Noise is added to values of the table, before they are normalised, so it is the same under every normalisation.

    Args:
        normalizer: that of the inputs.
        queries: (R, F), the test rows as they are in the table.
        corpora: {name: the training rows in some normalisation (R_train, F)}.
        count: K, documents per query.
    """
    noise = NOISE * normalizer.deviation * np.random.default_rng(0).normal(size=queries.shape)
    clean, noisy = (normalizer(x).astype(np.float32) for x in (queries, queries + noise))
    rows = []
    for name, corpus in corpora.items():
        first_RxK, second_RxK = (best_by_dot_product(x, corpus, count, own=False) for x in (clean, noisy))
        kept_R = np.mean(np.any(first_RxK[:, :, None] == second_RxK[:, None], axis=2), axis=1)
        times = frequencies(first_RxK)
        rows.append(
            {
                Retrieved.CORPUS: name,
                Retrieved.KEPT: float(kept_R.mean()),
                Retrieved.STDERR: float(kept_R.std(ddof=1) / np.sqrt(len(kept_R))),
                Retrieved.DIFFERENT: len(times),
                Retrieved.MOST_FREQUENT: float(times[:MOST_FREQUENT].sum() / times.sum()),
            }
        )
    return rows
