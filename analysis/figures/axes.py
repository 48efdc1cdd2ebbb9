"""The points of a sweep along the setting with the most values, and a line or a band of them, for figures of any sweep.

Seeds are no setting: points that differ in their seeds alone are repetitions of one measurement. They are averaged,
with their spread, where another setting differs, and are drawn one by one where none does.
"""

import dataclasses
import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from analysis.tables.columns import Points, Table
from analysis.tables.select import Row, finished, table, text
from lab.runs.directory import RunDirectory

POINT = {"marker": "o", "markersize": 3}
BAND = {"alpha": 0.2, "linewidth": 0}
SEEDS = ("seed", "seeds")  # the last words of keys by which runs are repeated
WIDE = 50  # an axis of positive numbers is logarithmic if the largest is at least this many times the smallest
TICKS = 8  # the most values of a setting that each have a tick


@dataclasses.dataclass(frozen=True)
class Series:
    """Points that differ in one setting alone, sorted by its values."""

    place: str  # "part=none, num_layers=2": the values of the other settings, by which series differ
    rows: list[Row]  # of points.csv
    x: list[float | str]  # the values of the setting, one per row; those of repetitions are the same
    repeats: bool = False  # True: the setting is a seed, so that all rows are repetitions

    def means(self, number: str, error: str = "") -> tuple[list[float | str], np.ndarray, np.ndarray]:
        """Return the values of the setting, each once, with the mean of a number and its error or spread at each.

        Args:
            error: the column with the error of a value that is not repeated; that of several is their standard
                deviation.
        """
        groups: dict[float | str, list[Row]] = {}
        for x, row in zip(self.x, self.rows, strict=True):
            groups.setdefault(x, []).append(row)
        numbers = [_mean_and_spread(rows, number, error) for rows in groups.values()]
        means, spreads = np.transpose(numbers)
        return [*groups], means, spreads

    def draw(self, panel: Axes, number: str, label: str, color, dashes: str = "-", **options) -> None:
        """Draw one number against the setting.

        Points that differ in the setting are joined by a line, with bars of the errors that they have. Points that
        differ in their seeds alone are drawn one by one, with their mean and a band of one standard deviation over
        them: a line from seed to seed would mean nothing.

        Args:
            options: of the line, and `error`: the column with the errors of single points.
        """
        error = options.pop("error", f"{number}.stderr")
        label = label or "_one"
        if self.repeats:
            values = [row.number(number) for row in self.rows]
            errors = np.nan_to_num([float(row.get(error) or 0.0) for row in self.rows])
            panel.errorbar(self.x, values, errors, color=color, label=label, capsize=2, linestyle="none", **POINT)
            mean, spread = _mean_and_spread(self.rows, number, "")
            ends = [min(self.x), max(self.x)]
            panel.plot(ends, [mean, mean], dashes, color=color, **options)
            if len(values) > 1:
                panel.fill_between(ends, mean - spread, mean + spread, color=color, **BAND)
            if all(isinstance(x, float) for x in self.x):
                panel.set_xticks(self.x, [f"{x:g}" for x in self.x])
            return
        x, means, spreads = self.means(number, error)
        if len(x) == len(self.x):
            panel.errorbar(x, means, spreads, color=color, label=label, capsize=2, linestyle=dashes, **POINT, **options)
            return
        panel.plot(x, means, dashes, color=color, label=label, **options)
        panel.fill_between(x, means - spreads, means + spreads, color=color, **BAND)
        panel.plot(self.x, [row.number(number) for row in self.rows], color=color, linestyle="none", **POINT)


def _mean_and_spread(rows: list[Row], number: str, error: str) -> tuple[float, float]:
    values = [float(value) for row in rows if isinstance(value := row[number], float) and math.isfinite(value)]
    if not values:
        return math.nan, 0.0
    if len(values) == 1:
        own = rows[0].get(error, 0.0) if error and len(rows) == 1 else 0.0
        return values[0], own if isinstance(own, float) and math.isfinite(own) else 0.0
    return float(np.mean(values)), float(np.std(values, ddof=1))


def series(directory: RunDirectory) -> tuple[str, list[Series]]:
    """Return the setting with the most values among the finished points, and one series of points along it for each
    combination of the other settings. Where only seeds differ, the setting is the seed.

    Raises:
        NotMeasured: no point is done.
    """
    rows = finished(table(directory, Table.POINTS))
    keys = [key for key in directory.read_summary().get("axes", []) if len({row[key] for row in rows}) > 1]
    settings = [key for key in keys if key.split(".")[-1] not in SEEDS]
    repeats, keys = not settings and bool(keys), settings or keys
    axis = max(keys, key=lambda key: (len({row[key] for row in rows}), keys.index(key)), default=Points.POINT)
    by_place: dict[str, list[Row]] = {}
    for row in rows:
        place = ", ".join(f"{key.split('.')[-1]}={text(row[key])}" for key in keys if key != axis)
        by_place.setdefault(place, []).append(row)
    return axis, [_along(axis, place, group, repeats) for place, group in by_place.items()]


def _along(axis: str, place: str, rows: list[Row], repeats: bool) -> Series:
    if all(isinstance(row[axis], float) for row in rows):
        rows = sorted(rows, key=lambda row: row[axis])
        return Series(place, rows, [row[axis] for row in rows], repeats)
    return Series(place, rows, [text(row[axis]) for row in rows], repeats)


def scale(panel: Axes, x: list[float | str]) -> None:
    """Choose the horizontal axis for the values of a setting: logarithmic if they are wide apart or are nearer to
    steps of one ratio than to steps of one size, with ticks at the values if these are few.
    """
    values = sorted({value for value in x if isinstance(value, float)})
    if len(values) < len({*x}):
        return
    if is_logarithmic(values):
        panel.set_xscale("log")
        panel.xaxis.set_minor_locator(NullLocator())
    if len(values) <= TICKS:
        panel.set_xticks(values, [text(value) for value in values])


def is_logarithmic(values: list[float]) -> bool:
    """Return whether an axis of these values, sorted, is logarithmic.

    >>> [is_logarithmic(each) for each in ([3e-4, 1e-3, 3e-3], [1, 2, 4], [1, 2, 3], [2, 100])]
    [True, True, False, True]
    """
    if not values or values[0] <= 0:
        return False
    if values[-1] >= WIDE * values[0]:
        return True
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return len(values) > 2 and bool(max(steps) / min(steps) > max(ratios) / min(ratios))
