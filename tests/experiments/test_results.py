"""Claims of kinds that declare their results: every bound turns its verdict when the columns behind it are moved.

The tables are the kept ones. A number is moved through its bound by its slopes in the cells that it is made of. All
seeds are made equal first, so that no verdict is open because of its errors.
"""

import contextlib
import dataclasses
import functools
import inspect
import pathlib
import string
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from analysis import figures
from analysis.figures.claim import Claim, Outcome
from analysis.figures.evidence import Condition
from analysis.figures.labels import registered
from analysis.results.column import Column
from analysis.results.quantity import Bounds, Every
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured, Row
from lab.config.kinds import KINDS
from lab.runs.directory import RunDirectory

KEPT = pathlib.Path("docs/results")
MANY = 40_000  # rows that are read while each place that a judge reads is moved once
QUICK = ("attention_ladder", "softmax_dual")  # the other figures take seconds a claim
ONE_SEED = ("dti_smollm2",)  # has no verdict, whatever its numbers are
JUDGED = {figure: kind for kind in KINDS.values() if "results" in kind.parts for figure in kind.figures}
NUMBER = "#"  # a further column, by which a row is known
Judge = Callable[[RunDirectory], list[Condition]]


@dataclasses.dataclass
class Place:
    """The cells of a column in the rows of one place, one per seed."""

    column: str
    rows: list[dict]

    def move(self, step: float) -> None:
        for row in self.rows:
            row[self.column] += step


@functools.cache
def kept(figure: str) -> dict[str, list[dict[str, float | str]]]:
    """Return the kept tables of a figure, which nobody may change."""
    directory = RunDirectory(KEPT / figure)
    return {name: directory.read_table(name) for name in sorted(path.stem for path in directory.path.glob("*.csv"))}


class Moved(Tables):
    """Kept tables whose columns can be moved. `reads` gets the cells that are read."""

    reads: set

    def __init__(self, figure: str):
        self.path, columns = KEPT / figure, columns_of(JUDGED[figure])
        super().__init__(**{name: [row | {NUMBER: name + str(i)} for i, row in enumerate(rows)]
                            for name, rows in kept(figure).items()})  # fmt: skip
        self.declared = {name for each in columns for name in (each.name, each.repeat)}
        found = {(each.table, each.name): each for each in columns if each.table in self.tables}
        self.places = [place for column in found.values() for place in self._places(column)]

    def _places(self, column: Column) -> list[Place]:
        """Make the seeds of every place equal. A place is named by the columns that have the same values for each
        seed."""
        rows = [row for row in self.tables[column.table] if isinstance(row.get(column.name), float)]
        places: dict[tuple, list[dict]] = {}
        keys = _keys(rows, column.repeat)
        for row in rows if column.name not in keys else ():
            places.setdefault(tuple(row[key] for key in keys), []).append(row)
        for place in places.values():
            mean = float(np.mean([row[column.name] for row in place]))
            for row in place:
                row[column.name] = mean
                row.pop(f"{column.name}.common", None)
        return [Place(column.name, place) for place in places.values()]

    @contextlib.contextmanager
    def as_they_are(self, places: list[Place]) -> Iterator[None]:
        """Undo all moves at the end."""
        cells = [(row, place.column) for place in places for row in place.rows]
        before = [row[column] for row, column in cells]
        try:
            yield
        finally:
            for (row, column), value in zip(cells, before, strict=True):
                row[column] = value

    def means(self, judge: Judge) -> np.ndarray:
        return np.array([each.number.mean for each in judge(self)])

    def read_by(self, judge: Judge) -> list[Place]:
        self.reads.clear()
        self.means(judge)
        return [each for each in self.places if any((row[NUMBER], each.column) in self.reads for row in each.rows)]

    def slopes(self, judge: Judge) -> list[tuple[Place, np.ndarray]]:
        """Return the slopes of the judge's numbers in every place that it reads."""
        before, slopes = self.means(judge), []
        for place in self.read_by(judge):
            step = 1e-4 * (abs(place.rows[0][place.column]) or 1.0)
            place.move(step)
            slopes.append((place, (self.means(judge) - before) / step))
            place.move(-step)
        return slopes

    def bring(self, judge: Judge, index: int, value: float) -> None:
        """Move one of the judge's numbers to a value, by Newton's method."""
        for _ in range(60):
            lacking = value - self.means(judge)[index]
            if abs(lacking) <= 0.01 * abs(value):
                return
            slopes = [(place, slope[index]) for place, slope in self.slopes(judge)]
            size = sum(slope**2 for _, slope in slopes)
            if size == 0 and {key for _, key in self.reads} - self.declared:
                pytest.skip("it is computed from cells of other columns than those that are declared")
            if size == 0 and "rank correlation" in judge(self)[index].name:
                pytest.skip("seeds made equal have no order")
            assert size > 0, "no column moves the number"
            for place, slope in slopes:
                place.move(lacking * slope / size)
        raise AssertionError("the number does not get there")


moved = functools.lru_cache(maxsize=2)(Moved)  # a test undoes what it moves


def _keys(rows: list[dict], repeat: str) -> list[str]:
    by_seed: dict[float, list[dict]] = {}
    for row in rows:
        by_seed.setdefault(row.get(repeat, 0.0), []).append(row)
    if len(by_seed) < 2:
        return [NUMBER]
    values = {key: {frozenset(row[key] for row in each) for each in by_seed.values()} for key in rows[0]}
    same = [key for key, sets in values.items() if len(sets) == 1 and len(next(iter(sets))) > 1]
    names = [key for key in rows[0] if key != NUMBER and all(isinstance(row[key], str) for row in rows)]
    return [*dict.fromkeys((*same, *names))]  # a part of a sweep may have fewer seeds than others


def aims(condition: Condition) -> tuple[float, float]:
    """Return a value between a condition's bounds, and one beyond."""
    low, high = condition.low, condition.high
    if np.isfinite(low) and np.isfinite(high):
        return low + 0.6 * (high - low), high + (high - low)
    bound, sign = (low, 1) if np.isfinite(low) else (high, -1)
    distance = sign * (abs(bound) or 0.1) / 2
    return bound + distance, bound - distance


@pytest.fixture
def reads(monkeypatch) -> set:
    """{(row's number, column)} of the numbers that are read."""
    cells, real = set(), Row.number

    def number(row: Row, key: str) -> float:
        cells.add((row.get(NUMBER), key))
        return real(row, key)

    monkeypatch.setattr(Row, "number", number)
    return cells


def columns_of(kind) -> list[Column]:
    """Return the columns that a kind declares, or that a module which its results import declares."""
    results = vars(kind.load("results"))
    modules = [results, *(vars(each) for each in results.values() if inspect.ismodule(each))]
    return [each for module in modules for each in module.values() if isinstance(each, Column)]


def judged(figure: str) -> list[Claim]:
    """Return the claims of a figure that are made of bounds, and its controls of this sort as claims, each once."""
    claims, of_figure = figures.claims_of(figure)
    every = [each for claim in claims for each in (*(claim.controls or ()), *claim.refutation_controls)]
    controls = {(each.name, str(each.judge)): each for each in (*every, *of_figure)}
    everything = [*claims, *(Claim(each.name, "a control", "", each.judge) for each in controls.values())]
    return [each for each in everything if isinstance(each.judge, Bounds | Every)]


@pytest.mark.parametrize(
    ("figure", "claim"),
    [
        pytest.param(
            figure, claim, marks=[pytest.mark.slow] if figure not in QUICK else [], id=f"{figure}: {claim.statement}"
        )
        for figure in JUDGED
        if (KEPT / figure).is_dir() and figure not in ONE_SEED
        for claim in judged(figure)
    ],
)
def test_every_bound_turns_the_verdict(figure: str, claim: Claim, reads):
    tables = moved(figure)
    tables.reads = reads
    try:
        claim.judge(tables)
    except NotMeasured as why:
        pytest.skip(f"the kept tables, seeds made equal, lack what it takes: {why}")
    if len(tables.read_by(claim.judge)) * sum(map(len, tables.tables.values())) > MANY:
        pytest.skip("it is made of too many cells to move each of them")
    if any(each.number.stderr > 1e-9 * abs(each.number.mean) for each in claim.judge(tables)):  # more than rounding
        pytest.skip("its numbers have errors that are not over seeds")
    claim = dataclasses.replace(claim, controls=(), refutation_controls=())
    with tables.as_they_are(tables.places):
        for _ in range(10):
            missed = [i for i, each in enumerate(claim.judge(tables)) if not each.low < each.number.mean < each.high]
            for i in missed:
                tables.bring(claim.judge, i, aims(claim.judge(tables)[i])[0])
        assert claim.evaluate(tables, {})["outcome"] == Outcome.HOLDS
        for i, condition in enumerate(claim.judge(tables)):
            with tables.as_they_are(tables.places):
                tables.bring(claim.judge, i, aims(condition)[1])
                assert claim.evaluate(tables, {})["outcome"] == Outcome.DOES_NOT_HOLD, condition.name


def is_key(settings: object, name: str) -> bool:
    for part in name.split("."):
        settings = getattr(settings, part, None)
    return settings is not None


@pytest.mark.parametrize("figure", [figure for figure, kind in JUDGED.items() if figure == kind.name])
def test_the_answer_is_made_of_headline_numbers(figure: str):
    """Or of keys."""
    kind = JUDGED[figure]
    clauses = kind.load("results").ANSWER
    names = [name for clause in clauses for _, name, _, _ in string.Formatter().parse(clause) if name]
    assert [name for name in names if not is_key(kind.schema(), name) and registered(figure, name) is None] == []
