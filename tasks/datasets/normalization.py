"""Normalisation of the columns of a table, fitted on the training rows alone.

The transformations are scikit-learn's, and `none` leaves the values as they are. A column that is constant in the
training rows becomes zeros in all rows.
"""

from collections.abc import Callable

import numpy as np

from tasks.datasets.settings import Normalization

STEP = 0.1  # the width of the differences from which slopes are computed, in standard deviations of a column


class Normalizer:
    """A function from x (rows, columns) to normalised values of the same shape, determined by its `statistics`."""

    def __init__(self, varies: np.ndarray, transformer, deviation: np.ndarray):
        self._varies, self._transformer, self._deviation = varies, transformer, deviation

    @classmethod
    def fit(cls, how: Normalization, x: np.ndarray) -> "Normalizer":
        """Return the normaliser of this kind that is fitted to x (rows, columns)."""
        return cls(np.ptp(x, axis=0) > 0, TRANSFORMERS[how](len(x)).fit(x), np.std(x, axis=0))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.where(self._varies, self._transformer.transform(x), 0.0)

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """Return the derivative of the normalised value with respect to the z-score at each entry (rows, columns).

        It is a difference quotient over `STEP` deviations of the column, which is exact for affine normalisations.
        Ranks of a column with few values are a step function without a useful derivative; there it is their mean
        slope over that width.
        """
        step = STEP * np.where(self._varies, self._deviation, 1.0)
        return (self(x + step / 2) - self(x - step / 2)) / STEP

    @property
    def deviation(self) -> np.ndarray:
        """Return the standard deviation of each column (columns,) in the training rows."""
        return self._deviation

    @property
    def constant(self) -> np.ndarray:
        """Return a mask (columns,) of the columns that are constant in the training rows."""
        return ~self._varies

    @property
    def statistics(self) -> dict[str, np.ndarray]:
        """Return the fitted arrays by scikit-learn's names, and `varies`, the mask of columns that are not constant."""
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
    """Return a transformer with one quantile per row, and at most 1000, which is scikit-learn's default."""
    from sklearn.preprocessing import QuantileTransformer

    # None (no subsample) is not in the type that checkers derive from the argument's default, hence set_params.
    return QuantileTransformer(n_quantiles=min(rows, 1000)).set_params(subsample=None)


def _tanh(rows: int):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    return make_pipeline(_zscore(rows), FunctionTransformer(np.tanh))


def _none(rows: int):
    """Return a transformer that gives its input back."""
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer()


TRANSFORMERS: dict[Normalization, Callable] = {
    Normalization.zscore: _zscore,
    Normalization.minmax: _minmax,
    Normalization.rank: _rank,
    Normalization.tanh: _tanh,
    Normalization.none: _none,
}
