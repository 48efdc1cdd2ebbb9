"""Columns of kept tables, one number per seed, and how a page writes their mean."""

import csv
import functools
import math
import pathlib

import numpy as np

RESULTS = pathlib.Path(__file__).parents[2] / "docs" / "results"
Rows = list[dict[str, str]]


@functools.cache
def read(figure: str, table: str) -> Rows:
    """Return the rows of a kept table."""
    with open(RESULTS / figure / f"{table}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_seed(figure: str, table: str, column: str, **where: object) -> np.ndarray:
    """Return a column of the rows that have these values, one number per seed, in the order of the seeds."""
    chosen = [row for row in read(figure, table) if all(same(row[key], value) for key, value in where.items())]
    values = {row["seed"]: float(row[column]) for row in chosen}
    assert len(values) == len(chosen) > 0, f"{column} where {where}"
    return np.array([values[seed] for seed in sorted(values, key=int)])


def same(cell: str, value: object) -> bool:
    return cell == value or (not isinstance(value, str) and math.isclose(float(cell), float(str(value))))


def short(value: float, digits: int = 3) -> str:
    """Return a number with so many decimal places, without a zero in front of the point."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.removeprefix("-").startswith("0.") else text


def mean(values: np.ndarray, digits: int = 3) -> str:
    return short(float(np.mean(values)), digits)


def with_error(values: np.ndarray, digits: int = 3) -> str:
    """Return the mean over seeds and its standard error."""
    return f"{mean(values, digits)} ± {short(float(np.std(values, ddof=1) / len(values) ** 0.5), digits)}"


def large(values: np.ndarray) -> str:
    """Return a mean that may be very large: with three digits, or two and a power of ten."""
    value = float(np.mean(values))
    return short(value) if value < 10 else f"{value:.2g}".replace("e+0", "e")


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
