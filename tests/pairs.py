"""Rows of a table of tests in which any two values of two axes meet: a few of all combinations."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any


def pairs(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return rows of the product of the axes, each time the one that has the most pairs of values that none had."""
    values: list[Sequence[Any]] = [[*axis] for axis in axes]
    rows = [*itertools.product(*(range(len(axis)) for axis in values))]
    met = {row: {*itertools.combinations(enumerate(row), 2)} for row in rows}
    left, chosen = set().union(*met.values()), []
    while left:
        chosen.append(max(rows, key=lambda row: len(met[row] & left)))
        left -= met[chosen[-1]]
    return [tuple(axis[place] for axis, place in zip(values, row, strict=True)) for row in chosen]
