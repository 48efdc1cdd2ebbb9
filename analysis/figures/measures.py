"""Numbers that claims about several figures are judged by."""

from collections.abc import Mapping
from typing import TypeVar

from analysis.figures.evidence import Estimate, combine, estimate, mean
from analysis.tables.select import Row, rows_where

GD = "gradient_descent"

Key = TypeVar("Key")


def loss(rows: list[Row], learner: str = "transformer") -> Estimate:
    """A learner's loss, from rows of seeds.csv."""
    return estimate(rows_where(rows, learner=learner), "loss")


def excess(rows: list[Row], learner: str = "transformer") -> Estimate:
    """A learner's loss / gradient descent's - 1, from rows of seeds.csv."""
    return combine(lambda learned, descent: learned / descent - 1, loss(rows, learner), loss(rows, GD))


def from_the_mean(numbers: Mapping[Key, Estimate], unit: Estimate | None = None) -> dict[Key, Estimate]:
    """How far each number is from the mean of all, in units of `unit`, or of that mean where none is given."""
    middle = mean(list(numbers.values()))
    return {key: combine(lambda a, b, c: (a - b) / c, each, middle, unit or middle) for key, each in numbers.items()}
