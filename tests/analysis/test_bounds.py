"""Every bound of a claim that is declared by bounds is one on its tables: where the kept tables are moved in one place,
its condition turns from met to not met, and back.

A place is a column of numbers in the rows with the same values of all that a seed does not change. That a bound is on
the right number and on the right side stands in its words, which are the criterion; `test_quantity.py` has the rest.
"""

import collections
import math
import random

import pytest

from analysis import figures
from analysis.figures.evidence import Condition
from analysis.results.column import Column
from analysis.results.quantity import Bounds, Every
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory
from tests.analysis.runs import RESULTS

Place = tuple[str, str, tuple]  # table, column, values of what a seed does not change


def declared(name: str) -> list[Bounds | Every]:
    """The bounds by which the claims of a figure, and their controls, are judged."""
    module = figures.load(name)
    controls = getattr(module, "CONTROLS", ())
    claims = [*getattr(module, "CLAIMS", ()), *(() if callable(controls) else controls)]
    return [each.judge for each in claims if isinstance(each.judge, Bounds | Every)]


KEPT = [name for name in figures.names() if (RESULTS / name).is_dir()]


class Read(Tables):
    """Tables that know which of them were asked for."""

    def __init__(self, **tables):
        super().__init__(**tables)
        self.asked = set()

    def read_table(self, name):
        self.asked.add(name)
        return super().read_table(name)


def is_number(cell: object) -> bool:
    return isinstance(cell, float | int) and math.isfinite(cell)


def changing(rows: list[dict]) -> list[str]:
    """The columns of numbers that are not alike for all seeds; of a single seed, all but whole numbers."""
    by_seed = collections.defaultdict(list)
    for row in rows:
        by_seed[row.get("seed")].append(row)

    def changes(column: str) -> bool:
        values = {tuple(sorted(str(row[column]) for row in each)) for each in by_seed.values()}
        whole = all(float(row[column]).is_integer() for row in rows if is_number(row[column]))
        return len(values) > 1 if len(by_seed) > 1 else not whole

    return [name for name in rows[0] if name != "seed" and any(is_number(row[name]) for row in rows) and changes(name)]


def places_of(name: str, rows: list[dict]) -> list[Place]:
    values = changing(rows)
    fixed = [column for column in rows[0] if column not in {*values, "seed"}]
    groups = dict.fromkeys(tuple(row[column] for column in fixed) for row in rows)
    return [(name, column, group) for column in values for group in groups]


def moved(tables: dict[str, list[dict]], by: dict[Place, float]) -> Tables:
    """The tables with something added at these places."""
    result = dict(tables)
    for name, rows in tables.items():
        at = {place[1:]: change for place, change in by.items() if place[0] == name}
        if at:
            columns, values = {column for column, _ in at}, changing(rows)
            fixed = [column for column in rows[0] if column not in {*values, "seed"}]
            result[name] = [
                row | {c: row[c] + at.get((c, tuple(row[f] for f in fixed)), 0) for c in columns if is_number(row[c])}
                for row in rows
            ]
    return Tables(**result)


def numbers(bounds: Bounds | Every, tables: Tables) -> list[float]:
    return [each.number.mean for each in bounds(tables)]


def responsible(bounds: Bounds | Every, tables: dict[str, list[dict]], condition: int) -> Place | None:
    """A place on which a condition's number depends, by halving what is moved."""
    draw, before = random.Random(0), numbers(bounds, Tables(**tables))[condition]
    left = [place for name, rows in tables.items() for place in places_of(name, rows)]
    by = {place: draw.uniform(1e-3, 2e-3) * (1 + abs(before)) for place in left}

    def depends(places: list[Place]) -> bool:
        after = numbers(bounds, moved(tables, {place: by[place] for place in places}))[condition]
        return abs(after - before) > 1e-9 * (1 + abs(before))

    if not depends(left):
        return None
    while len(left) > 1:
        half = left[: len(left) // 2]
        left = half if depends(half) else left[len(left) // 2 :]
    return left[0] if depends(left) else None


def reaches(bounds: Bounds | Every, tables: dict[str, list[dict]], condition: int, place: Place, inside: bool) -> bool:
    """Whether the condition's number comes between its bounds, or leaves them, when one place is moved."""
    first = bounds(Tables(**tables))[condition]
    low, high = first.low, first.high
    some = 0.1 * (1 + abs(high if math.isinf(low) else low))
    if inside:
        targets = [(low + high) / 2] if math.isfinite(high - low) else [high - some if math.isinf(low) else low + some]
    else:
        targets = [each for each in (low - some, high + some) if math.isfinite(each)]

    def moved_by(change: float) -> Condition:
        return bounds(moved(tables, {place: change}))[condition]

    for target in targets:
        before, change = (0.0, first.number.mean), 1e-3
        for _ in range(20):  # the secant method
            try:
                now = moved_by(change)
            except ValueError:  # the logarithm of what is below zero
                change = (change + before[0]) / 2
                continue
            if now.inside == inside:
                return True
            slope = (now.number.mean - before[1]) / (change - before[0])
            if slope == 0:
                change *= 10
                continue
            before, change = (change, now.number.mean), change + (target - now.number.mean) / slope
    return first.inside == inside


@pytest.mark.parametrize("name", KEPT)
def test_a_bound_turns_where_its_tables_are_moved(name):
    """The kept tables: of each condition of each claim and control, one place by which it is met, and not met."""
    directory = RunDirectory(RESULTS / name)
    kept = {path.stem: directory.read_table(path.stem) for path in directory.path.glob("*.csv")}
    measured = []
    for bounds in declared(name):
        try:
            bounds(read := Read(**kept))
        except NotMeasured:  # the tables were kept before it was asked for
            continue
        measured.append(bounds)
        tables = {each: kept[each] for each in read.asked}
        for condition in range(len(numbers(bounds, read))):
            place = responsible(bounds, tables, condition)
            assert place is not None, f"no number moves {bounds}"
            assert all(reaches(bounds, tables, condition, place, inside) for inside in (True, False)), str(bounds)
    assert bool(measured) == bool(declared(name))


def test_a_bound_on_nothing_is_seen():
    score = Column("scores", "score", "score", "How good it is.", "name")
    rows = [{"seed": seed, "name": name, "score": 0.1 * seed} for seed in (0.0, 1.0) for name in "ab"]
    assert responsible(score["a"] - score["b"] < 1, {"scores": rows}, 0) in [
        ("scores", "score", (each,)) for each in "ab"
    ]
    assert responsible(score["a"] - score["a"] < 1, {"scores": rows}, 0) is None
