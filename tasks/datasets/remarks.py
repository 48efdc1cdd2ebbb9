"""Notes on a table's splits for a reader of the results: test rows that are in the training split too, and the number
of training rows that are ever retrieved."""

import numpy as np

from tasks.datasets.table import Table

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
