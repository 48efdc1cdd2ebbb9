"""Which rows of a table belong to which: those that score highest by dot product, and those that are nearest."""

import numpy as np

SCORES = 2**24  # in memory at a time


def documents(inputs: dict[str, np.ndarray], count: int) -> dict[str, np.ndarray]:
    """{split: (R, count)}: the training rows that are retrieved for each row, by the dot product of these inputs.

    Args:
        inputs: {"train": (R_train, F), "test": (R_test, F)}, normalised as queries and corpus are to be scored.
    """
    corpus = inputs["train"]
    return {name: best_by_dot_product(x, corpus, count, own=name == "train") for name, x in inputs.items()}


def best_by_dot_product(queries: np.ndarray, corpus: np.ndarray, count: int, own: bool) -> np.ndarray:
    """(R, count): for each query the rows of the corpus that score highest, best first. own: query i is row i of the
    corpus, and is not retrieved for itself."""
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
    """(R, count): the other rows at the smallest Euclidean distance."""
    from sklearn.neighbors import NearestNeighbors

    if count == 0:
        return np.zeros((len(x), 0), np.int32)
    return NearestNeighbors(n_neighbors=count).fit(x).kneighbors(return_distance=False).astype(np.int32)
