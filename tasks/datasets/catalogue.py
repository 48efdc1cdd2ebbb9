"""Every data set by name: one row makes it available on the command line and runs all the tests on it."""

from collections.abc import Callable
from typing import Any

from tasks.datasets import bike, california, calories, diabetes, own, wine
from tasks.datasets.table import Table

# Each reader takes the settings of its own name alone, `SCHEMAS[name]` in `tasks.datasets.settings`: hence `Any`.
READERS: dict[str, Callable[[Any], Table]] = {
    "diabetes": diabetes.read,
    "california": california.read,
    "bike": bike.read,
    "wine": wine.read,
    "calories": calories.read,
    "csv": own.read,
}
