"""Neighbours of each row of a table: training rows with the largest dot products, and rows at the smallest distance."""

import numpy as np

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
