"""Values by seed for kinds that do not declare their results: the origin of a headline number is not written anywhere,
so it is searched for in the tables. To be deleted once all kinds have a part `results`.

A number of a summary is a mean over seeds, and one of the run's tables may have a row per seed. A column matches if the
words of the number's name are among the words of the column's name and the rows' keys, and the mean over the rows is
the number.
"""

import bisect
import csv
import io
import pathlib
import re
from collections.abc import Iterator

from analysis.figures.estimates import Estimate
from analysis.figures.words import KINDS, main_names
from analysis.shelf.item import Item, is_number
from analysis.tables.columns import Curves
from lab.runs import safe_read

SEED, STEP = Curves.SEED, Curves.STEP
WHOLE = re.compile(r"-?\d+")
AGREEMENT = 1e-7  # relative tolerance: means differ only by the order of summation
LARGEST = 2**23  # bytes of a table that is read


def matched(item: Item) -> dict[str, Estimate]:
    """Return {name of a number: its values by seed}, for numbers that a table has for two seeds or more."""
    candidates: list[tuple[float, frozenset[str], Estimate]] = []
    for name in item.tables:
        if "/" not in name and "\\" not in name:
            candidates += _series(_rows(item.path / f"{name}.csv"))
    candidates.sort(key=lambda candidate: candidate[0])
    means = [mean for mean, _, _ in candidates]
    by_name = {}
    for name in main_names(item.numbers):
        value, tokens = item.numbers[name], {*name.split(".")}
        margin = AGREEMENT * abs(value) + 1e-300
        first, last = bisect.bisect_left(means, value - margin), bisect.bisect_right(means, value + margin)
        fitting = [(len(words - tokens), place) for place, (_, words, _) in enumerate(candidates[first:last])
                   if tokens <= words]  # fmt: skip
        if fitting:
            by_name[name] = candidates[first + min(fitting)[1]][2]
    return by_name


def _rows(path: pathlib.Path) -> list[dict[str, str]]:
    text = safe_read.text(path, LARGEST)
    try:
        rows = list(csv.DictReader(io.StringIO(text or "", newline="")))
    except csv.Error:
        return []
    return [row for row in rows if None not in row and None not in row.values()]


def _series(rows: list[dict[str, str]]) -> Iterator[tuple[float, frozenset[str], Estimate]]:
    """Yield (mean, words, values by seed) of every column and of every group of rows that have the same keys."""
    if not rows or SEED not in rows[0]:
        return
    if STEP in rows[0]:  # of curves the last row counts
        rows = [row for row in rows if row[STEP] == rows[-1][STEP]]
    columns = [column for column in rows[0] if column not in (SEED, STEP)]
    keys = [column for column in columns if any(_is_key(row[column]) for row in rows)]
    groups: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for row in rows:
        if row[SEED] in (group := groups.setdefault(tuple(row[key] for key in keys), {})):
            return  # the keys do not tell the rows apart
        group[row[SEED]] = row
    for values, group in groups.items():
        words = {word for value in values for word in (value, *value.split("."))}
        for column in columns:
            if column not in keys and column.split(".")[-1] not in (*KINDS, "common"):
                numbers = _numbers(group, column)
                if len(numbers) > 1 and len(numbers) == len(group):
                    common = _numbers(group, f"{column}.common") if f"{column}.common" in columns else {}
                    estimate = Estimate(numbers, sum(common.values()) / len(common) if common else 0.0)
                    yield estimate.mean, frozenset(words | {*column.split(".")}), estimate


def _is_key(cell: str) -> bool:
    """Return whether a cell names its row: a text, or a whole number."""
    if not cell or WHOLE.fullmatch(cell):
        return bool(cell)
    try:
        float(cell)
    except ValueError:
        return True
    return False


def _numbers(group: dict[str, dict[str, str]], column: str) -> dict[float, float]:
    numbers = {}
    for seed, row in group.items():
        try:
            value = float(row[column])
        except ValueError:
            continue
        if WHOLE.fullmatch(seed) and is_number(value):
            numbers[float(seed)] = value
    return numbers
