"""The points of a sweep along the setting with the most values, for figures of any sweep."""

import dataclasses

from analysis.tables.columns import Points, Table
from analysis.tables.select import Row, finished, table, text
from lab.runs.directory import RunDirectory

WIDE = 50  # an axis of positive numbers is logarithmic if the largest is at least this many times the smallest


@dataclasses.dataclass(frozen=True)
class Series:
    """Points that differ in one setting alone, sorted by its values."""

    place: str  # "part=none, num_layers=2": the values of the other settings, by which series differ
    rows: list[Row]  # of points.csv
    x: list[float | str]  # the values of the setting, one per row


def series(directory: RunDirectory) -> tuple[str, list[Series]]:
    """Return the setting with the most values among the finished points, and one series of points along it for each
    combination of the other settings.

    Raises:
        NotMeasured: no point is done.
    """
    rows = finished(table(directory, Table.POINTS))
    keys = [key for key in directory.read_summary().get("axes", []) if len({row[key] for row in rows}) > 1]
    axis = max(keys, key=lambda key: (len({row[key] for row in rows}), keys.index(key)), default=Points.POINT)
    by_place: dict[str, list[Row]] = {}
    for row in rows:
        place = ", ".join(f"{key.split('.')[-1]}={text(row[key])}" for key in keys if key != axis)
        by_place.setdefault(place, []).append(row)
    return axis, [_along(axis, place, group) for place, group in by_place.items()]


def _along(axis: str, place: str, rows: list[Row]) -> Series:
    if all(isinstance(row[axis], float) for row in rows):
        rows = sorted(rows, key=lambda row: row[axis])
        return Series(place, rows, [row[axis] for row in rows])
    return Series(place, rows, [text(row[axis]) for row in rows])


def is_wide(x: list[float | str]) -> bool:
    """Return whether an axis of these values is drawn logarithmically."""
    positive = [value for value in x if isinstance(value, float) and value > 0]
    return len(positive) == len(x) and max(positive) >= WIDE * min(positive)
