"""The results of any kind of experiment: its numbers. Kinds without a report of their own use this one.

Every kind of the lab has an answer of its own. The sentences here serve sweeps over several kinds, a user's own kind
without a report, and runs that lack a number of their kind's answer.
"""

import textwrap

from analysis.figures.labels import kind_of_points, word_of
from analysis.figures.words import main_names
from analysis.report import values
from analysis.report.blocks import Block, Cell, Label, Table, number
from analysis.report.sentences import counted, over_points, sentence, verdicts

HEAD = 18  # most characters in a line of a column's head, unless a word is longer
MOST = 5  # most numbers shown per point; points.csv has all


def of_run(summary: dict) -> list[Block]:
    """Return a table of a run's numbers, from its summary."""
    numbers = summary["numbers"]
    rows: list[tuple[Cell, ...]] = [
        (label(summary["kind"], name), number(numbers, name, significant=True)) for name in main_names(numbers)
    ]
    if not rows:
        return []
    return [Table("Numbers (mean ± standard error, where it is measured)", ("number", "value"), rows)]


def of_points(summary: dict) -> list[Block]:
    """Return a table of the first numbers of each point or, for sweeps, of the claims that hold."""
    points = summary["points"]
    if not points:
        return []
    kind = kind_of_points(summary)
    if not kind:
        rows = [
            (name, verdicts(point.get("claims", [])) or "-", str(len(point.get("points", [name]))), _total(point))
            for name, point in points.items()
        ]
        return [Table("Parts", ("part", "claims", "runs", "seconds"), rows)]
    names = main_names(name for point in points.values() for name in point["numbers"])[:MOST]
    rows = [
        (place, *(number(point["numbers"], name, significant=True) for name in names))
        for place, point in points.items()
    ]
    heads = ("point", *(label(kind, name, HEAD) for name in names))
    return [Table("Points (mean ± standard error, where it is measured)", heads, rows)]


def answer_of_run(summary: dict) -> str:
    """Return the first number that is measured, with its error, and how many of the claims hold, as one sentence."""
    measured = {name: value for name in main_names(summary["numbers"]) if (value := values.number(summary, name))}
    titles = (f"{word_of(summary['kind'], name).title}: {value.text(4)}" for name, value in measured.items())
    return sentence(next(titles, "no number was measured"), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range of the points' first number, and how many of the claims hold, as one sentence."""
    points = summary["points"]
    if not points:
        return f"No point is done: {counted(len(summary.get('failed', {})), 'point')} failed."
    kind = kind_of_points(summary)
    if not kind:
        return sentence(f"{counted(len(points), 'part')} done", summary=summary)
    names = main_names(name for point in points.values() for name in point["numbers"])
    ranges = (over_points(summary, name, word_of(kind, name).title, digits=4) for name in names)
    first = next((each for each in ranges if each), f"{counted(len(points), 'point')} done, without numbers")
    return sentence(first, summary=summary)


def label(kind: str, name: str, width: int = 1000) -> Label:
    """Return the label of a headline number: its name with the unit, wrapped to a width, and its sentence as
    description.
    """
    word = word_of(kind, name)
    return Label(textwrap.fill(word.title, width, break_on_hyphens=False), word.sentence or name)


def _total(summary: dict) -> str:
    return f"{summary['seconds'].get('total', 0):.0f}"
