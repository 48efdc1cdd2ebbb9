"""Numbers of a run's tables as expressions, and bounds on them, which are the criteria of claims.

    lost = Column("rungs", "lost", "accuracy lost", "Accuracy with softmax minus accuracy with this one.", "rung")
    lost["linear"] - lost["softmax"] < 0.01

A quantity has one value per seed, at one place of the tables or at several. Arithmetic is done within each seed, so
differences are paired. Nothing is read before a quantity, or bounds on it, get a directory.
"""

import dataclasses
import fnmatch
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition
from analysis.tables.columns import Seeds
from analysis.tables.select import NotMeasured, Row, column, distinct, rows_where, table, text
from lab.runs.directory import RunDirectory

Numbers = Mapping[str, Estimate]  # {place, such as "layer 2": the number there}; {"": the number} of a single place

EVERY = "at every"


@dataclasses.dataclass(frozen=True)
class Bounds:
    """The judge of a claim: `low` < quantity < `high` at every place."""

    quantity: "Quantity"
    low: float = -math.inf
    high: float = math.inf

    def __call__(self, directory: RunDirectory) -> list[Condition]:
        """Return one condition per place. Raises NotMeasured where the tables lack the quantity."""
        numbers = self.quantity.numbers(directory)
        return [Condition(self.quantity.name(place), each, self.low, self.high) for place, each in numbers.items()]

    def __and__(self, other: "Bounds | Every") -> "Every":
        return Every((self,)) & other

    def __str__(self) -> str:
        """The criterion in words: 'accuracy lost (linear) is between -0.01 and 0.01'."""
        if math.isinf(self.high):
            return f"{self.quantity} is above {self.low:g}"
        if math.isinf(self.low):
            return f"{self.quantity} is below {self.high:g}"
        return f"{self.quantity} is between {self.low:g} and {self.high:g}"


@dataclasses.dataclass(frozen=True)
class Every:
    """The judge that asks for several bounds at once: `(a > 0) & (b < 1)`."""

    bounds: tuple[Bounds, ...]

    def __call__(self, directory: RunDirectory) -> list[Condition]:
        return [condition for each in self.bounds for condition in each(directory)]

    def __and__(self, other: "Bounds | Every") -> "Every":
        return Every((*self.bounds, *(other.bounds if isinstance(other, Every) else (other,))))

    def __str__(self) -> str:
        return ", and ".join(map(str, self.bounds))


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A number with one value per seed, at one place of the tables or at several.

    Args:
        label: what is measured, as 'accuracy'.
        subject: which rows, as 'softmax'; with a `*` in it the places are the values that it matches. "" for none.
        numbers: reads them from the tables of a directory; raises NotMeasured where these lack something.
        places: which places there are, in words.
    """

    label: str
    subject: str
    numbers: Callable[[RunDirectory], Numbers]
    places: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, [self.label + (f" ({self.subject})" if self.subject else ""), self.places]))

    def name(self, place: str) -> str:
        """Return the name of the number at a place: 'accuracy (softmax)', 'cosine (linear), layer 2'."""
        if "*" in self.subject:
            return f"{self.label} ({place})"
        return str(dataclasses.replace(self, places=place))

    def __sub__(self, other: "Quantity") -> "Quantity":
        return self._with(other, "-", lambda a, b: a - b)

    def __truediv__(self, other: "Quantity") -> "Quantity":
        return self._with(other, "/", lambda a, b: a / b)

    def __gt__(self, low: float) -> Bounds:
        return Bounds(self, low=low)

    def __lt__(self, high: float) -> Bounds:
        return Bounds(self, high=high)

    def between(self, low: float, high: float) -> Bounds:
        """Return the bounds on both sides."""
        return Bounds(self, low, high)

    def within(self, distance: float) -> Bounds:
        """Return the bounds at this distance from 0."""
        return Bounds(self, -distance, distance)

    def steps(self) -> "Quantity":
        """Return the differences between neighbouring places, of the later one minus the earlier one."""

        def numbers(directory: RunDirectory) -> Numbers:
            if len(places := self.numbers(directory)) < 2:
                raise NotMeasured(f"{self}: there is one place")
            pairs = itertools.pairwise(places)
            return {f"{later} - {earlier}": places[later] - places[earlier] for earlier, later in pairs}

        return dataclasses.replace(self, numbers=numbers, places="each minus the one before,")

    def first(self) -> "Quantity":
        """Return the quantity at its first place alone."""
        return self._at(slice(1), "first")

    def last(self) -> "Quantity":
        """Return the quantity at its last place alone."""
        return self._at(slice(-1, None), "last")

    def _at(self, which: slice, name: str) -> "Quantity":
        def numbers(directory: RunDirectory) -> Numbers:
            return dict([*self.numbers(directory).items()][which])

        places = self.places.replace(EVERY, f"at the {name}") or f"the {name} of them,"
        return dataclasses.replace(self, numbers=numbers, places=places)

    def _with(self, other: "Quantity", sign: str, function: Callable[[float, float], float]) -> "Quantity":
        """Combine two quantities at the places that both have; single places are combined whatever they are called."""

        def numbers(directory: RunDirectory) -> Numbers:
            one, two = self.numbers(directory), other.numbers(directory)
            if len(one) == len(two) == 1 and (ends := (*one, *two))[0] != ends[1]:
                return {f" {sign} ".join(ends): combine(function, *one.values(), *two.values())}
            if not (both := one.keys() & two.keys()):
                raise NotMeasured(f"{self} and {other} have no place in common")
            return {place: combine(function, one[place], two[place]) for place in one if place in both}

        if self.label == other.label and self.places != other.places:  # of one subject: its last place / its first
            places = f" {sign} ".join(each.places.rstrip(",") for each in (self, other))
            return Quantity(self.label, self.subject, numbers, f"{places},")
        if self.label == other.label:
            return Quantity(self.label, f"{self.subject} {sign} {other.subject}", numbers, self.places)
        whole = (str(dataclasses.replace(each, places="")) for each in (self, other))
        return Quantity(f" {sign} ".join(whole), "", numbers, self.places)


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of numbers in a table with one row per seed and value of another column.

    Args:
        table: its name, without `.csv`.
        name: of the column.
        label: for axes, heads of tables and names of numbers.
        sentence: says what it measures, with a full stop.
        key: the column whose value `self[value]` chooses.
        unit: "" for none.
        repeat: the column that tells repetitions apart: the seed, or the round of a measurement.
        fixed: values of further columns, of the rows that count.
    """

    table: str
    name: str
    label: str
    sentence: str
    key: str
    unit: str = ""
    repeat: str = Seeds.SEED
    fixed: Sequence[tuple[str, Any]] = ()

    def where(self, **fixed: Any) -> "Column":
        """Return the same column in the rows with these values of other columns alone."""
        return dataclasses.replace(self, fixed=(*self.fixed, *fixed.items()))

    def __getitem__(self, value: str) -> Quantity:
        """Return the number of the rows with a value; with a `*` in it, one number per value that it matches."""

        def numbers(directory: RunDirectory) -> Numbers:
            rows = self._rows(directory)
            if "*" not in value:
                return {"": self._estimate(rows_where(rows, {self.key: value}))}
            matches = sorted(fnmatch.filter(map(str, distinct(rows, self.key)), value), key=_natural)
            if not matches:
                raise NotMeasured(f"no {self.key} is called {value}")
            return {each: self._estimate(rows_where(rows, {self.key: each})) for each in matches}

        return Quantity(self.label, self._subject(value), numbers)

    def along(self, others: str | Sequence[str], value: str | None = None) -> Quantity:
        """Return the number of the rows with a value, or of all rows, at every value of other columns."""
        columns = (others,) if isinstance(others, str) else (*others,)

        def numbers(directory: RunDirectory) -> Numbers:
            rows = self._rows(directory)
            rows = rows if value is None else rows_where(rows, {self.key: value})
            groups: dict[tuple, list[Row]] = {}
            for row in rows:
                groups.setdefault(tuple(row[column(rows, each)] for each in columns), []).append(row)
            return {_place(columns, values): self._estimate(groups[values]) for values in sorted(groups)}

        return Quantity(self.label, self._subject(value), numbers, f"{EVERY} value of {', '.join(columns)},")

    def _rows(self, directory: RunDirectory) -> list[Row]:
        rows = table(directory, self.table)
        return rows_where(rows, dict(self.fixed)) if self.fixed else rows

    def _estimate(self, rows: Sequence[Row]) -> Estimate:
        return estimate(rows, self.name, self.repeat)

    def _subject(self, value: str | None) -> str:
        return ", ".join(text(each) for each in (*(each for _, each in self.fixed), value) if each is not None)


@dataclasses.dataclass(frozen=True)
class Headline:
    """A headline number that is no column but computed from them, or one at every place of a quantity.

    Args:
        name: of the number in summary.json and points.csv; places come behind it, with a point between.
        label, sentence, unit: as those of a column.
        quantity: computes it.
    """

    name: str
    label: str
    sentence: str
    quantity: Quantity
    unit: str = ""


class InMemory(RunDirectory):
    """Tables that are not written yet, for quantities."""

    def __init__(self, tables: Mapping[str, Sequence[dict]]):
        self._tables = tables

    def has_table(self, name: str) -> bool:
        return name in self._tables

    def read_table(self, name: str) -> list[dict]:
        return [*self._tables[name]]


def _natural(name: str) -> list:
    """Return a key by which 'degree 2' comes before 'degree 16'."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _place(columns: Sequence[str], values: Sequence[Any]) -> str:
    """Return the name of a place: 'layer 2'; texts stand for themselves, as in 'decoder, width 64'."""
    pairs = zip(columns, values, strict=True)
    return ", ".join(value if isinstance(value, str) else f"{name} {text(value)}" for name, value in pairs)
