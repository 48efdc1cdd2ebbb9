"""Rows of tables that several kinds of the family write, and tables of numbers that sources printed. No JAX here."""

import csv
import dataclasses
import functools
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Writer:
    """The way in which numbers of a subject become columns.

    Args:
        seeds: the first columns of each seed's rows.
        columns: a name and the values (S, U) -> each seed's columns, the mean and its error.
    """

    seeds: Sequence[Mapping[str, Any]]
    columns: Callable[[str, np.ndarray], list[dict]]

    def rows(self, place: Mapping[str, Any], values: Mapping[str, np.ndarray]) -> list[dict]:
        """Return each seed's row.

        Args:
            place: the columns before the numbers; a list has each seed's own.
            values: {name: (S, U)}.
        """
        numbers = [self.columns(name, values_SxU) for name, values_SxU in values.items()]
        rows = []
        for seed, first in enumerate(self.seeds):
            own = {name: value[seed] if isinstance(value, list) else value for name, value in place.items()}
            rows.append({**first, **own, **{name: value for each in numbers for name, value in each[seed].items()}})
        return rows


def at_first(tables: Mapping[str, list[dict]], **first: Any) -> dict[str, list[dict]]:
    """Return the rows that headline numbers are of: with these values, or without any where a protocol has none."""
    return {
        name: [row for row in rows if all(row.get(key) in (None, value) for key, value in first.items())]
        for name, rows in tables.items()
    }


@functools.cache
def printed(file: pathlib.Path) -> tuple[dict[str, str], ...]:
    """Return the rows of a table of printed numbers: published.csv beside a kind."""
    with open(file, newline="", encoding="utf-8") as lines:
        return tuple(csv.DictReader(lines))
