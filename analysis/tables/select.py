"""Functions that read a directory's tables, and select rows and columns of them.

The first columns of a sweep's tables are the places of its points (`analysis.tables.gather`).
"""

import operator
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from analysis.tables.columns import Clusters as ClusterColumns
from analysis.tables.columns import Points, Table
from lab.runs.directory import RunDirectory


class NotMeasured(Exception):
    """The tables lack a table, a column or a row."""


Clusters = Mapping[tuple[str, float], float]  # {(data set, cluster of its test rows): the cluster's part in a number}


class Row(dict[str, float | str]):
    """A row of a table by its columns' names; reading a column that is not there raises NotMeasured.

    clusters: {column of numbers: parts of the number by cluster of test rows}, filled in by `seed_rows`.
    """

    clusters: Mapping[str, Clusters] = types.MappingProxyType({})

    def __missing__(self, key: str):
        raise NotMeasured(f"there is no column {key}")

    def number(self, key: str) -> float:
        """Return the cell of a column of numbers; NaN where it is empty in the file.

        Raises:
            NotMeasured: there is no such column, or the cell is text.
        """
        if not isinstance(value := self[key], float | int):
            raise NotMeasured(f"{key} is {value!r}, which is not a number" if value else f"{key} is empty")
        return value

    def text(self, key: str) -> str:
        """Return the cell of a column of texts.

        Raises:
            NotMeasured: there is no such column, or the cell is a number.
        """
        if not isinstance(value := self[key], str):
            raise NotMeasured(f"{key} is {value!r}, which is not text")
        return value


class _ByColumn(Mapping[str, Clusters]):
    """{a column of clusters.csv: the clusters of one learner}; a column is read when it is asked for, as few are."""

    def __init__(self, rows: Sequence[Row], columns: Sequence[str]):
        self._rows, self._columns, self._read = rows, columns, {}

    def __getitem__(self, name: str) -> Clusters:
        if name not in self._columns:
            raise KeyError(name)
        if name not in self._read:
            of_cluster = (
                (row.text(ClusterColumns.TEST_ROWS), row.number(ClusterColumns.CLUSTER)) for row in self._rows
            )
            self._read[name] = dict(zip(of_cluster, numbers(self._rows, name), strict=True))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def numbers(rows: Iterable[Row], key: str) -> list[float]:
    """Return a column of numbers, in the order of the rows. Raises as `Row.number`."""
    return [row.number(key) for row in rows]


def table(directory: RunDirectory, name: str) -> list[Row]:
    """Return the rows of `name`.csv, with cells that are numbers as floats.

    Raises:
        NotMeasured: there is no such table, or it has no rows.
    """
    if not directory.has_table(name) or not (rows := directory.read_table(name)):
        raise NotMeasured(f"there is no {name}.csv, or it has no rows")
    return [Row(row) for row in rows]


def seed_rows(directory: RunDirectory) -> list[Row]:
    """Return the rows of seeds.csv, with the clusters of clusters.csv where there is one (for tables of real data).

    Raises:
        NotMeasured: there is no seeds.csv, or it has no rows.
    """
    rows = table(directory, Table.SEEDS)
    if not directory.has_table(Table.CLUSTERS):
        return rows
    parts = table(directory, Table.CLUSTERS)
    names = [*parts[0]]
    place = names[: names.index(ClusterColumns.TEST_ROWS)]  # the sweep's places, the evaluation and the learner
    key = operator.itemgetter(*place)
    of_learners: dict[tuple, list[Row]] = {}
    for part in parts:
        of_learners.setdefault(key(part), []).append(part)
    columns = names[len(place) + 2 :]
    clusters = {learner: _ByColumn(rows, columns) for learner, rows in of_learners.items()}
    for row in rows:
        row.clusters = clusters.get(key(row), row.clusters)
    return rows


def finished(points: list[Row]) -> list[Row]:
    """Return the rows of points.csv whose runs are done.

    Raises:
        NotMeasured: no run is done.
    """
    return rows_where(points, {Points.STATE: "done"})


def column(rows: Sequence[Row], key: str) -> str:
    """Return the full name of a column from its name or its last word: `task.num_documents` from `num_documents`.

    Raises:
        NotMeasured: there is no such column, or several end in this word and none is called exactly so.
    """
    if not rows:
        raise NotMeasured(f"there are no rows, so no column {key}")
    if key in rows[0]:
        return key
    matches = [name for name in rows[0] if name.split(".")[-1] == key]
    if len(matches) > 1:
        raise NotMeasured(f"several columns are called {key}: {', '.join(matches)}")
    if not matches:
        raise NotMeasured(f"there is no column {key}")
    return matches[0]


def rows_where(rows: list[Row], wanted: Mapping[str, Any]) -> list[Row]:
    """Return the rows that have these values.

    Args:
        wanted: {a column's name or its last word: value}.

    Raises:
        NotMeasured: there is no such row or column.
    """
    columns = {column(rows, key): value for key, value in wanted.items()}
    matches = rows
    for name, value in columns.items():
        matches = [row for row in matches if row[name] == value]
    if not matches:
        raise NotMeasured("there is no row with " + ", ".join(f"{name}={value}" for name, value in columns.items()))
    return matches


def distinct(rows: list[Row], key: str) -> list:
    """Return the distinct values of a column, sorted."""
    name = column(rows, key)
    return sorted({row[name] for row in rows})


def group_by(rows: list[Row], key: str) -> dict[Any, list[Row]]:
    """Return {value of a column: its rows}, sorted by the values, which are numbers or texts as `key` has them."""
    name = column(rows, key)
    return {value: [row for row in rows if row[name] == value] for value in distinct(rows, key)}


def sort_by(rows: list[Row], key: str) -> list[Row]:
    """Return the rows sorted by a column."""
    name = column(rows, key)
    return sorted(rows, key=lambda row: row[name])


def text(value: float | str) -> str:
    """Return a cell as text, 5 for 5.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)
