"""The steadiness of retrieval by dot products under a normalisation: the share of the documents that a query which is
slightly different retrieves again, and the share of the rows that are retrieved most."""

from collections.abc import Mapping

import numpy as np

from tasks.datasets.columns import Retrieved
from tasks.datasets.neighbours import best_by_dot_product
from tasks.datasets.normalization import Normalizer
from tasks.datasets.remarks import MOST_FREQUENT, frequencies

NOISE = 0.1  # standard deviation of the noise on an input, in those of its column in the training rows


def retrieval(normalizer: Normalizer, queries: np.ndarray, corpora: Mapping[str, np.ndarray], count: int) -> list[dict]:
    """Return the rows of retrieval.csv.

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
