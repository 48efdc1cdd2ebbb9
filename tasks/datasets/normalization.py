"""Normalisation of the columns of a table, fitted on the training rows alone.

The transformations are scikit-learn's, and `none` leaves the values as they are. A column that is constant in the
training rows becomes zeros in all rows.
"""

import numpy as np

from tasks.datasets.settings import Normalization

STEP = 0.1  # the width of the differences from which slopes are computed, in standard deviations of a column


class Normalizer:
    """A function from x (rows, columns) to normalised values of the same shape, determined by its `statistics`.

    Of each column (columns,) in the training rows: `constant`, whether it is, and `deviation`, its standard deviation.
    """

    def __init__(self, how: Normalization, x: np.ndarray):
        """Fit the normaliser of this kind to x (rows, columns)."""
        self.constant, self.deviation = np.ptp(x, axis=0) == 0, np.std(x, axis=0)
        self._transformer = transformer_of(how, len(x)).fit(x)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.where(self.constant, 0.0, self._transformer.transform(x))

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """Return the derivative of the normalised value with respect to the z-score at each entry (rows, columns).

        It is a difference quotient over `STEP` deviations of the column, which is exact for affine normalisations.
        Ranks of a column with few values are a step function without a useful derivative; there it is their mean
        slope over that width.
        """
        step = STEP * np.where(self.constant, 1.0, self.deviation)
        return (self(x + step / 2) - self(x - step / 2)) / STEP

    @property
    def statistics(self) -> dict[str, np.ndarray]:
        """Return the fitted arrays by scikit-learn's names, and `varies`, the mask of columns that are not constant."""
        steps = getattr(self._transformer, "steps", [("", self._transformer)])
        fitted = {name: value for _, step in steps for name, value in vars(step).items() if name.endswith("_")}
        arrays = {name: value for name, value in fitted.items() if isinstance(value, np.ndarray)}
        return arrays | {"varies": ~self.constant}


def transformer_of(how: Normalization, rows: int):
    """Return scikit-learn's transformer, which is not fitted yet."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, QuantileTransformer, StandardScaler

    # None (no subsample) is not in the type that checkers derive from the argument's default, hence set_params.
    quantiles = QuantileTransformer(n_quantiles=min(rows, 1000)).set_params(subsample=None)  # 1000: its own default
    return {
        Normalization.zscore: StandardScaler(),
        Normalization.minmax: MinMaxScaler(),
        Normalization.rank: quantiles,
        Normalization.tanh: make_pipeline(StandardScaler(), FunctionTransformer(np.tanh)),
        Normalization.none: FunctionTransformer(),
    }[how]
