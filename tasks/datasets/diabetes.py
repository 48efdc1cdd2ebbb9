"""Diabetes: 442 patients, 10 measurements, the disease's progression after a year. Inside scikit-learn.

B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, "Least angle regression", Annals of Statistics 32 (2004).
"""

from tasks.datasets.settings import Diabetes
from tasks.datasets.table import Table


def read(settings: Diabetes) -> Table:
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)  # the scaled ones have seen all rows
    return Table(tuple(data.feature_names), data.data, data.target)
