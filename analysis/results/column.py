"""Columns of tables, by which a kind says once what it measures; their numbers are quantities.

lost = Column("rungs", "lost", "accuracy lost", "Accuracy with softmax minus accuracy with this one.", "rung")
lost["linear"]                              of the rows whose column `rung` has this value: one number per seed
lost["degree *"]                            one number per value that matches
lost.where(width=64, step=LAST)["linear"]   of the rows with these values, too
lost.along("layer")["linear"]               one number per value of another column
"""

import dataclasses
import fnmatch
import re
from collections.abc import Callable, Sequence
from typing import Any

from analysis.figures.estimates import Estimate, estimate, exact
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.select import NotMeasured, Row, column, distinct, numbers, rows_where, table, text
from lab.runs.directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class Choice:
    """A choice among the values of a column, for `Column.where`.

    Args:
        words: say what is chosen.
        choose: the values in their order -> those that are chosen.
    """

    words: str
    choose: Callable[[list], Sequence]


FIRST, LAST = Choice("first", lambda values: values[:1]), Choice("last", lambda values: values[-1:])
HALF = Choice("half of the last", lambda values: [values[-1] / 2])


def up_to(most: float) -> Choice:
    """Return the choice of values that are no larger."""
    return Choice(f"up to {most:g}", lambda values: [value for value in values if value <= most])


def from_on(least: float) -> Choice:
    """Return the choice of values that are no smaller."""
    return Choice(f"from {least:g} on", lambda values: [value for value in values if value >= least])


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of numbers in a table with one row per seed and value of other columns.

    Args:
        table: its name, without `.csv`.
        name: of the column.
        label: for axes, heads of tables and names of numbers.
        sentence: says what it measures, with a full stop.
        key: the column whose value `self[value]` chooses.
        unit: "" for none.
        worst: of numbers that are exact, whatever the seed: which of them counts, `max` or `min`. None: numbers have
            an error over seeds.
        fixed: the values that rows must have, in the order in which they are looked for.
        each: further columns, at every value of which there is a number.
        headline: its name among headline numbers, if it is not `name`.
    """

    table: str
    name: str
    label: str
    sentence: str
    key: str
    unit: str = ""
    worst: Callable[[list[float]], float] | None = None
    fixed: tuple[tuple[str, Any], ...] = ()
    each: tuple[str, ...] = ()
    headline: str = ""

    def where(self, **values: Any) -> "Column":
        """Return the column in the rows that have these values, {column: value or Choice}."""
        return dataclasses.replace(self, fixed=(*self.fixed, *values.items()))

    def along(self, *others: str) -> "Column":
        """Return the column with one number per value of other columns."""
        return dataclasses.replace(self, each=(*self.each, *others))

    def called(self, headline: str, label: str, sentence: str) -> "Column":
        """Return the column as a headline number with its own name and words."""
        return dataclasses.replace(self, headline=headline, label=label, sentence=sentence)

    def __getitem__(self, value: str | float) -> Quantity:
        """Return the number of the rows with a value; with a `*` in it, one number per value that it matches."""

        def numbers(directory: RunDirectory) -> Numbers:
            rows = self.rows(table(directory, self.table))
            if not (isinstance(value, str) and "*" in value):
                return self._numbers(rows_where(rows, {self.key: value}), "")
            values = {text(each): each for each in distinct(rows, self.key)}
            matches = sorted(fnmatch.filter(values, value), key=_natural)
            if not matches:
                raise NotMeasured(f"no {self.key} is called {value}")
            of_values = (self._numbers(rows_where(rows, {self.key: values[each]}), each) for each in matches)
            return {place: number for each in of_values for place, number in each.items()}

        subject = value if isinstance(value, str) else f"{self.key} {value:g}"
        places = " and ".join(f"every {other}" for other in self.each)
        return Quantity(", ".join([self.label, *map(_words, self.fixed)]), subject, numbers, places and f"at {places},")

    def rows(self, rows: list[Row]) -> list[Row]:
        """Return the rows with the fixed values. Raises NotMeasured where there are none."""
        for key, value in self.fixed:
            if isinstance(value, Choice):
                chosen, name = value.choose(distinct(rows, key)), column(rows, key)
                if not (kept := [row for row in rows if row[name] in chosen]):
                    raise NotMeasured(f"there is no row with {_words((key, value))}")
                rows = kept
            else:
                rows = rows_where(rows, {key: value})
        return rows

    def _numbers(self, rows: list[Row], place: str) -> Numbers:
        """Return {place: the number}, one for every combination of values of the columns `each`."""
        groups = {place: rows}
        for other in self.each:
            groups = {
                ", ".join(filter(None, [before, _words((other, value))])): rows_where(group, {other: value})
                for before, group in groups.items()
                for value in distinct(group, other)
            }
        return {name: self._estimate(group) for name, group in groups.items()}

    def _estimate(self, rows: list[Row]) -> Estimate:
        return exact(self.worst(numbers(rows, self.name))) if self.worst else estimate(rows, self.name)


def _words(fixed: tuple[str, Any]) -> str:
    key, value = fixed
    return f"{key.split('.')[-1].replace('_', ' ')} {value.words if isinstance(value, Choice) else text(value)}"


def _natural(name: str) -> list:
    """Return a key by which 'degree 2' comes before 'degree 16'."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
