"""Diabetes: 442 patients with 10 measurements; the target is the disease's progression after a year.

The table is part of scikit-learn.
B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, "Least angle regression", Annals of Statistics 32 (2004).
"""

from typing import cast

from tasks.datasets.settings import Diabetes
from tasks.datasets.table import Table


def read(settings: Diabetes) -> Table:
    """Read the table in its original units."""
    from sklearn.datasets import load_diabetes
    from sklearn.utils import Bunch

    # scaled=True would scale by the statistics of all rows, also of test rows. Only return_X_y=True returns a tuple.
    data = cast(Bunch, load_diabetes(scaled=False))
    return Table(tuple(data.feature_names), data.data, data.target)
