"""Columns of tables, by which a kind says once what it measures; their numbers are quantities.

lost = Column("rungs", "lost", "accuracy lost", "Accuracy with softmax minus accuracy with this one.", "rung")
lost["linear"]                              of the rows whose column `rung` has this value: one number per seed
lost["degree *"]                            one number per value that matches
lost.where(width=64, step=LAST)["linear"]   of the rows with these values, too
lost.along("layer", "linear")               one number per value of another column
lost.number                                 of all rows, for a table with one row per seed
"""

import dataclasses
import fnmatch
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from analysis.figures.estimates import Estimate, estimate, exact
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import NotMeasured, Row, column, distinct, rows_where, seed_rows, table, text
from analysis.tables.select import numbers as column_of
from lab.runs.directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class Choice:
    """A choice among the values of a column, for `Column.where`."""

    words: str  # describes the choice
    choose: Callable[[list], Sequence]  # the values in their order -> those that are chosen


FIRST, LAST = Choice("first", lambda values: values[:1]), Choice("last", lambda values: values[-1:])
HALF = Choice("half of the last", lambda values: [values[-1] / 2])


def nearest(share: float) -> Choice:
    """Return the choice of the value that is nearest to a share of the last one, without the first."""
    return Choice(
        f"at {share:g} of the last",
        lambda values: [min(values[1:], key=lambda value: abs(value - share * values[-1]))] if values[1:] else [],
    )


def up_to(most: float) -> Choice:
    """Return the choice of values that are no larger."""
    return Choice(f"up to {most:g}", lambda values: [value for value in values if value <= most])


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of numbers in a table with one row per seed and value of other columns.

    With a `key`, `self[value]` is the number of the rows with a value in that column. Without one each value has a
    column of its own, NAME.VALUE, or NAME is a column with one row per seed, whose one number is `self.number`.
    """

    table: str  # its name, without `.csv`
    name: str
    label: str  # for axes, heads of tables and names of numbers
    sentence: str  # says what it measures, with a full stop
    key: str = ""
    unit: str = ""  # "" for none
    repeat: str = Seeds.SEED  # the column that tells repetitions apart: the seed, or the round of a measurement
    worst: Callable[[list[float]], float] | None = None  # `max` or `min` of numbers without an error, as an identity's
    # (rows, `name`) -> the number, if its error is not over repetitions (`analysis.figures.measures`)
    estimate_of: Callable[[list[Row], str], Estimate] | None = None
    fixed: Sequence[tuple[str, Any]] = ()  # values of further columns in the rows that count
    implied: Sequence[tuple[str, Any]] = ()  # further values like `fixed` that the label already says
    sparse: bool = False  # whether rows in which it is empty, as it is not defined there, are left out

    @property
    def title(self) -> str:
        """The label with the unit, for an axis or a head."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def where(self, **fixed: Any) -> "Column":
        """Return the column restricted to rows with these values of other columns, {column: value or Choice}.

        Of a tuple any value counts. Choices are made last, one after the other, among the rows of each number. For a
        column whose values are places, a choice selects the places.
        """
        return dataclasses.replace(self, fixed=(*self.fixed, *fixed.items()))

    @property
    def number(self) -> Quantity:
        """The one number of all rows."""
        return self.along(())

    def __getitem__(self, value: str | float) -> Quantity:
        """Return the number of the rows with a value; with a `*` in it, one number per value that it matches."""

        if not self.key:
            own = dataclasses.replace(self, name=f"{self.name}.{value}")
            return Quantity(
                self.label, self._subject(value), lambda directory: {"": own._estimate(own._rows(directory))}
            )

        def numbers(directory: RunDirectory) -> Numbers:
            rows = self._rows(directory)
            if not (isinstance(value, str) and "*" in value):
                return {"": self._estimate(rows_where(rows, {self.key: value}))}
            values = {text(each): each for each in distinct(rows, self.key)}
            matches = sorted(fnmatch.filter(values, value), key=_natural)
            if not matches:
                raise NotMeasured(f"no {self.key} is called {value}")
            return {each: self._estimate(rows_where(rows, {self.key: values[each]})) for each in matches}

        return Quantity(self.label, self._subject(value), numbers)

    def along(self, others: str | Sequence[str], value: str | float | None = None) -> Quantity:
        """Return the number of the rows with a value, or of all rows, at every value of other columns."""
        columns = (others,) if isinstance(others, str) else (*others,)
        if value is not None and not self.key:
            own = dataclasses.replace(self, name=f"{self.name}.{value}").along(columns)
            return dataclasses.replace(own, subject=self._subject(value))

        def numbers(directory: RunDirectory) -> Numbers:
            rows = self._rows(directory)
            rows = rows if value is None else rows_where(rows, {self.key: value})
            rows = _chosen(rows, [each for each in self.fixed if each[0] in columns])
            groups: dict[tuple, list[Row]] = {}
            for row in rows:
                groups.setdefault(tuple(row[column(rows, each)] for each in columns), []).append(row)
            places = {values: ", ".join(map(_words, columns, values)) for values in sorted(groups)}
            return {place: self._estimate(groups[values]) for values, place in places.items()}

        places = f"at every value of {' and '.join(columns)}," if columns else ""
        return Quantity(self.label, self._subject(value), numbers, places)

    def _rows(self, directory: RunDirectory) -> list[Row]:
        rows = seed_rows(directory) if self.table == Table.SEEDS else table(directory, self.table)
        fixed = {key: value for key, value in (*self.implied, *self.fixed) if not isinstance(value, Choice)}
        for key, values in fixed.items():
            if isinstance(values, tuple) and not (rows := [row for row in rows if row[column(rows, key)] in values]):
                raise NotMeasured(f"there is no {_words(key, values)}")
        single = {key: value for key, value in fixed.items() if not isinstance(value, tuple)}
        rows = rows_where(rows, single) if single else rows
        if self.sparse and not (rows := [row for row in rows if _is_number(row[self.name])]):
            places = [_words(key, value) for key, value in fixed.items()]
            raise NotMeasured(f"{', '.join([self.label, *places])} has no value")
        return rows

    def _estimate(self, rows: list[Row]) -> Estimate:
        rows = _chosen(rows, self.fixed)
        if self.estimate_of:
            return self.estimate_of(rows, self.name)
        if not self.worst:
            return estimate(rows, self.name, self.repeat)
        values = column_of(rows, self.name)
        return exact(math.nan if any(map(math.isnan, values)) else self.worst(values))  # `max` would hide NaN

    def _subject(self, value: str | float | None) -> str:
        own = [] if value is None else [_words(self.key, value)]
        return ", ".join([*(_words(*each) for each in self.fixed), *own])


@dataclasses.dataclass(frozen=True)
class Headline:
    """A headline number that is computed from columns; of a quantity with several places one number per place."""

    name: str  # in summary.json and points.csv, NAME.PLACE if there are places
    label: str
    sentence: str
    quantity: Quantity  # computes it
    unit: str = ""


def _chosen(rows: list[Row], fixed: Sequence[tuple[str, Any]]) -> list[Row]:
    """Return the rows that remain after all choices, made one after the other."""
    for key, choice in fixed:
        if isinstance(choice, Choice):
            chosen, name = choice.choose(distinct(rows, key)), column(rows, key)
            if not (rows := [row for row in rows if row[name] in chosen]):
                raise NotMeasured(f"there is no {_words(key, choice)}")
    return rows


def _words(key: str, value: str | float | tuple | Choice) -> str:
    """Return a value of a column in words: 'layer 2', 'step last'; texts stand for themselves."""
    if isinstance(value, tuple):
        return " or ".join(_words(key, each) for each in value)
    if isinstance(value, str):
        return value
    return f"{key.split('.')[-1].replace('_', ' ')} {value.words if isinstance(value, Choice) else f'{value:g}'}"


def _is_number(cell: object) -> bool:
    return isinstance(cell, float | int) and math.isfinite(cell)


def _natural(name: str) -> list:
    """Return a key by which 'degree 2' comes before 'degree 16'."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
