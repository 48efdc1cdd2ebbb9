"""Tables of pages, from kept tables: `make findings` writes the text between two marks of a page again.

    <!-- kept: FIGURE/TABLE | rows: COLUMN | columns: COLUMN | values: COLUMN | where: COLUMN = a, b; COLUMN = c -->
    | ... |
    <!-- end of kept -->

There is one line for each value of the columns `rows`, and one column for each of the column `columns`, if there is
one, and of `values`. A cell is the mean over seeds with its standard error. `where` selects rows and says in which
order they come; "-" is an empty cell. `labels: a = b; ...` gives names, and others have spaces for underscores.
"""

import dataclasses
import itertools
import pathlib
import re

import numpy as np

from analysis.findings.words import rounded
from analysis.tables.select import NotMeasured
from lab.errors import UserError
from lab.runs.directory import RunDirectory

MARK = re.compile(
    r"(?P<begin><!-- kept: (?P<words>[^\n]*?) -->\n)(?P<body>.*?)(?P<end><!-- end of kept -->)", re.DOTALL
)
EMPTY = "-"
SEED = "seed"
SAME = 1e-12  # relative differences of numbers that are equal but for rounding; these have no error
OPTIONS = {"rows", "columns", "values", "where", "labels"}
Line = dict[str, str]


@dataclasses.dataclass(frozen=True)
class Pivot:
    """A mark that has been read: a kept table, what its lines, columns and cells are, and their names."""

    figure: str
    table: str
    rows: list[str]
    columns: list[str]
    values: list[str]
    where: dict[str, list[str]]
    labels: dict[str, str]

    def label(self, text: str) -> str:
        """Return the name of a column or of one of its values as a page shows it."""
        return self.labels.get(text, text.replace("_", " "))


def filled(text: str, results: pathlib.Path) -> str:
    """Return a page with new tables between its marks.

    Args:
        results: the folder of kept tables, with a folder per figure.

    Raises:
        UserError: a mark cannot be read, or a cell has several rows of one seed.
    """
    return MARK.sub(lambda mark: f"{mark['begin']}{_body(read(mark['words']), results)}{mark['end']}", text)


def read(words: str) -> Pivot:
    """Return a mark, taken apart.

    Raises:
        UserError: the mark lacks a part, or has an unknown one.
    """
    place, *parts = words.split(" | ")
    figure, _, table = place.partition("/")
    options = {name.strip(): value.strip() for name, _, value in (part.partition(":") for part in parts)}
    if not (figure and table and options.keys() <= OPTIONS and {"rows", "values"} <= options.keys()):
        raise UserError(f"kept: {words}: allowed are FIGURE/TABLE and then {', '.join(sorted(OPTIONS))}")
    lists = {name: _list(options.get(name, "")) for name in ("rows", "columns", "values")}
    where = {name: _list(value) for name, value in _pairs(options.get("where", "")).items()}
    return Pivot(figure, table, **lists, where=where, labels=_pairs(options.get("labels", "")))


def lines(pivot: Pivot, every: list[Line]) -> list[str]:
    """Return the table in Markdown, from the rows of a kept table.

    Raises:
        NotMeasured: a column is not there, or nothing is selected.
        UserError: a cell has several rows of one seed.
    """
    for name in (*pivot.rows, *pivot.columns, *pivot.values, *pivot.where):
        if not every or name not in every[0]:
            raise NotMeasured(f"there is no column {name}")
    chosen = [row for row in every if all(_cell(row[name]) in allowed for name, allowed in pivot.where.items())]
    if not chosen:
        raise NotMeasured("no row is selected")
    sides, heads = (_places(pivot, chosen, names) for names in (pivot.rows, pivot.columns))
    columns = [*itertools.product(heads, pivot.values)]
    titles = [", ".join([*map(pivot.label, head), *([pivot.label(value)] if len(pivot.values) > 1 or not head else [])])
              for head, value in columns]  # fmt: skip
    table = [[", ".join(map(pivot.label, pivot.rows)), *titles], ["---"] * (1 + len(columns))]
    for side in sides:
        cells = [_number(pivot, chosen, dict(zip([*pivot.rows, *pivot.columns], side + head, strict=True)), value)
                 for head, value in columns]  # fmt: skip
        table.append([", ".join(map(pivot.label, side)), *cells])
    return [f"| {' | '.join(line)} |" for line in table]


def _body(pivot: Pivot, results: pathlib.Path) -> str:
    directory = RunDirectory(results / pivot.figure)
    try:
        if not directory.has_table(pivot.table):
            raise NotMeasured("no table is kept")
        text = "\n".join(lines(pivot, directory.read_text_table(pivot.table)))
    except NotMeasured as error:
        text = f"*`{pivot.figure}`: {error}.*"
    return f"\n{text}\n\n"


def _places(pivot: Pivot, rows: list[Line], names: list[str]) -> list[tuple[str, ...]]:
    """Return the distinct values of these columns, in the order of `where`, else in the order of the rows."""
    there = dict.fromkeys(tuple(_cell(row[name]) for name in names) for row in rows)
    ranks = {name: {value: rank for rank, value in enumerate(allowed)} for name, allowed in pivot.where.items()}
    return sorted(there, key=lambda place: [ranks[name][value] if name in ranks else 0
                                            for name, value in zip(names, place, strict=True)])  # fmt: skip


def _number(pivot: Pivot, rows: list[Line], place: Line, value: str) -> str:
    """Return the mean over seeds of a cell, with its error where there are several; "" where there is none."""
    there = [row for row in rows if all(_cell(row[name]) == text for name, text in place.items()) and row[value]]
    seeds = [row.get(SEED, "") for row in there]
    if len({*seeds}) < len(seeds):
        raise UserError(f"kept: {pivot.figure}/{pivot.table}: several rows of one seed for {place}")
    if not there:
        return ""
    values = np.array([float(row[value]) for row in there])
    error = values.std(ddof=1) / np.sqrt(len(values)) if np.ptp(values) > SAME * abs(values).max() else None
    return rounded(float(values.mean()), error)


def _cell(text: str) -> str:
    """Return a cell as `where` writes it: numbers in their shortest form."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text or EMPTY


def _list(text: str) -> list[str]:
    return [_cell(each.strip()) for each in text.split(",") if each.strip()]


def _pairs(text: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in text.split(";") if each.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}
