"""The answer of a kind with a part `results`, made from its ANSWER: clauses with numbers in braces.

`{accuracy.linear}` is a headline number with its error, and a `*` stands for several: `{accuracy.Taylor, *}`; in
`{reference.loss_difference}` the first word stands for the learner that the run names. Any other name is one of the
kind's VERBS, {name: summary -> text}, or a key of the settings, `{epochs}`; of a list the first value is shown. A
clause is left out if a value is missing.

The first clause of a kind with VERBS has no numbers: of a sweep it is said once for all points of which it is so.
"""

import fnmatch
import string
from typing import Any

from analysis.figures.labels import kind_of_points, main_names, word_of
from analysis.report.sentences import joined, over_points, places, sentence
from analysis.report.values import number, setting

REFERENCE = "reference"


def answer_of_run(results: Any, summary: dict) -> str:
    """Return the clauses of the answer whose numbers are known; "" where there are none."""
    finding, *further = [*(clause for each in results.ANSWER if (clause := _filled(each, results, summary))), ""]
    return sentence(finding, *further, summary=summary)


def answer_of_points(results: Any, summary: dict) -> str:
    """Return the ranges over a sweep's points of the numbers that the answer's first clause with numbers names."""
    first, *clauses = results.ANSWER if hasattr(results, "VERBS") else ("", *results.ANSWER)
    points = summary["points"]
    of_text: dict[str, list[str]] = {}
    for name, point in points.items():
        of_text.setdefault(_filled(first, results, point), []).append(name)
    verbs = [f"{text} at {places(names, [*points])}" for text, names in of_text.items() if text]
    kind = kind_of_points(summary)
    names = dict.fromkeys(name for point in points.values() for name in numbers_of(clauses[0], point))
    ranges = [over_points(summary, name, f"the {word_of(kind, name).title}") for name in names]
    finding, *further = [*verbs, *filter(None, ranges), ""]
    return sentence(finding, *further, summary=summary)


def numbers_of(clause: str, summary: dict) -> list[str]:
    """Return the names of the headline numbers in a clause."""
    patterns = (_named(name, summary) for _, name, _, _ in string.Formatter().parse(clause) if name)
    return [name for pattern in patterns for name in fnmatch.filter(main_names(summary["numbers"]), pattern)]


def _named(name: str, summary: dict) -> str:
    first, point, rest = name.partition(".")
    return f"{summary[REFERENCE]}.{rest}" if point and first == REFERENCE else name


def _filled(clause: str, results: Any, summary: dict) -> str:
    """Return a clause with its numbers and their errors; "" if one is not known."""
    parts = []
    for fixed, name, _, _ in string.Formatter().parse(clause):
        parts.append(fixed)
        if name:
            parts.append(_text(name, results, summary))
            if not parts[-1]:
                return ""
    return "".join(parts)


def _text(name: str, results: Any, summary: dict) -> str:
    if words := getattr(results, "VERBS", {}).get(name):
        return words(summary)
    if "*" not in name:
        value = number(summary, _named(name, summary))
        return value.text() if value else setting(summary, name).strip("[]").partition(",")[0]
    matches = {match: number(summary, match) for match in fnmatch.filter(main_names(summary["numbers"]), name)}
    fixed = name.partition("*")[0]
    begin = max(fixed.rfind("."), fixed.rfind(", ") + 1) + 1  # the part in which matches differ
    return joined(f"{value.text()} ({match[begin:]})" for match, value in matches.items() if value)
