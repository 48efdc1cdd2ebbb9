"""What is done to the columns of a table: fitted on the training rows alone, and kept.

The transformations are scikit-learn's. A column that is constant in the training rows becomes zeros in all rows.
"""

from collections.abc import Callable

import numpy as np

from tasks.datasets.settings import Normalization

STEP = 0.1  # standard deviations of a column, over which slopes are taken


class Normalizer:
    """x (rows, columns) -> the same shape. Made by `fit`, and a function of its `statistics`."""

    def __init__(self, varies: np.ndarray, transformer, deviation: np.ndarray):
        self._varies, self._transformer, self._deviation = varies, transformer, deviation

    @classmethod
    def fit(cls, how: Normalization, x: np.ndarray) -> "Normalizer":
        return cls(np.ptp(x, axis=0) > 0, TRANSFORMERS[how](len(x)).fit(x), np.std(x, axis=0))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.where(self._varies, self._transformer.transform(x), 0.0)

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """(rows, columns): d normalised / d z-score at each entry.

        A difference over `STEP` deviations of the column: exact where the normalisation is affine. Ranks are a
        staircase where a column has few values, and have no derivative there: the difference is their mean slope over
        that width.
        """
        step = STEP * np.where(self._varies, self._deviation, 1.0)
        return (self(x + step / 2) - self(x - step / 2)) / STEP

    @property
    def constant(self) -> np.ndarray:
        """(columns,): which of them were constant."""
        return ~self._varies

    @property
    def statistics(self) -> dict[str, np.ndarray]:
        """What was fitted, by scikit-learn's names."""
        steps = getattr(self._transformer, "steps", [("", self._transformer)])
        fitted = {name: value for _, step in steps for name, value in vars(step).items() if name.endswith("_")}
        arrays = {name: value for name, value in fitted.items() if isinstance(value, np.ndarray)}
        return arrays | {"varies": self._varies}


def _zscore(rows: int):
    from sklearn.preprocessing import StandardScaler

    return StandardScaler()


def _minmax(rows: int):
    from sklearn.preprocessing import MinMaxScaler

    return MinMaxScaler()


def _rank(rows: int):
    """A quantile for each row, up to scikit-learn's thousand."""
    from sklearn.preprocessing import QuantileTransformer

    return QuantileTransformer(n_quantiles=min(rows, 1000), subsample=None)


def _tanh(rows: int):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    return make_pipeline(_zscore(rows), FunctionTransformer(np.tanh))


TRANSFORMERS: dict[Normalization, Callable] = {
    Normalization.zscore: _zscore,
    Normalization.minmax: _minmax,
    Normalization.rank: _rank,
    Normalization.tanh: _tanh,
}
