"""Every data set by name: one row gives it its place on the command line and all the tests."""

from collections.abc import Callable

from tasks.datasets import bike, california, calories, diabetes, own, wine
from tasks.datasets.settings import Data
from tasks.datasets.table import Table

READERS: dict[str, Callable[[Data], Table]] = {
    "diabetes": diabetes.read,
    "california": california.read,
    "bike": bike.read,
    "wine": wine.read,
    "calories": calories.read,
    "csv": own.read,
}
