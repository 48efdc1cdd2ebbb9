"""The results of any kind of experiment: the answer to its question, and tables of its numbers.

An answer is one sentence or two, with numbers, their errors, the verdict and the number of seeds: by the ANSWER of a
kind with a part `results` (`template`). The sentences here serve sweeps over several kinds, a user's own kind without
results, and runs that lack a number of their kind's answer.
"""

import textwrap

from analysis.figures.labels import column_of, kind_of_points, main_names, value_labels, word_of
from analysis.report import template, values
from analysis.report.blocks import Label, Table, number
from analysis.report.sentences import counted, over_points, sentence, verdicts
from analysis.results.column import Column
from lab.config.kinds import results_of
from lab.learners.roles import ROLES

NUMBERS = "Numbers (mean ± standard error, where it is measured)"
HEAD = 18  # most characters in a line of a column's head, unless a word is longer
MOST = 5  # most numbers shown per point, the answer's first; points.csv has all


def answer(summary: dict) -> str:
    """Return the answer to the experiment's question, one sentence or two, from the summary's numbers and claims.

    The answer of a sweep of sweeps counts its claims, and repeats the answer of its first part.
    """
    if "points" not in summary:
        results = results_of(summary["kind"])
        return (template.answer_of_run(results, summary) if results else "") or _answer_of_run(summary)
    results = results_of(kind_of_points(summary))
    sentence = (template.answer_of_points(results, summary) if results else "") or answer_of_points(summary)
    nested = next((name for name, point in summary["points"].items() if "points" in point), None)
    return f"{sentence} {nested}: {answer(summary['points'][nested])}" if nested else sentence


def of_run(summary: dict) -> list[Table]:
    """Return tables of a run's numbers: columns with the same key have one, with a row for each of its values, and all
    other numbers have another one."""
    kind, numbers = summary["kind"], summary["numbers"]
    columns: dict[str, Column] = {}
    by_key: dict[str, dict[str, dict[str, str]]] = {}  # {key: {value: {column: number}}}
    for name in main_names(numbers):
        column, value = column_of(kind, name)
        key = getattr(column, "key", "") if value else ""
        if column and key:
            columns[column.name] = column
        by_key.setdefault(key, {}).setdefault(value, {})[column.name if key else name] = name
    blocks: list[Table] = []
    alone: list[str] = []
    for key, of_value in by_key.items():
        heads = dict.fromkeys(head for names in of_value.values() for head in names)
        if not key or len(heads) < 2:
            alone += [name for names in of_value.values() for name in names.values()]
            continue
        rows = [
            (_row(value), *(number(numbers, names.get(head, "")) for head in heads))
            for value, names in of_value.items()
        ]
        labels = (_head(columns[head].title, columns[head].sentence) for head in heads)
        blocks.append(Table(NUMBERS, (key.split(".")[-1].replace("_", " "), *labels), rows))
    rows = [(label(kind, name), number(numbers, name)) for name in alone]
    return [*blocks, Table(NUMBERS, ("number", "value"), rows)] if rows else blocks


def of_points(summary: dict) -> list[Table]:
    """Return a table of the first numbers of each point or, for sweeps, of the claims that hold."""
    points = summary["points"]
    if not points:
        return []
    kind = kind_of_points(summary)
    if not kind:
        rows = [
            (
                name,
                verdicts(point.get("claims", [])) or "-",
                str(len(point.get("points", [name]))),
                f"{point['seconds'].get('total', 0):.0f}",
            )
            for name, point in points.items()
        ]
        return [Table("Parts", ("part", "claims", "runs", "seconds"), rows)]
    clauses = getattr(results_of(kind), "ANSWER", ())
    answered = (name for clause in clauses for point in points.values() for name in template.numbers_of(clause, point))
    others = main_names(name for point in points.values() for name in point["numbers"])
    names = [*dict.fromkeys([*answered, *others])][:MOST]
    rows = [(place, *(number(point["numbers"], name) for name in names)) for place, point in points.items()]
    heads = ("point", *(label(kind, name, HEAD) for name in names))
    return [Table("Points (mean ± standard error, where it is measured)", heads, rows)]


def _answer_of_run(summary: dict) -> str:
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
    return _head(word.title, word.sentence or name, width)


def _head(title: str, sentence: str, width: int = HEAD) -> Label:
    return Label(textwrap.fill(title, width, break_on_hyphens=False), sentence)


def _row(value: str) -> Label | str:
    words = ", ".join(value_labels(value))
    return Label(words, ROLES[value].sentence) if value in ROLES else words
