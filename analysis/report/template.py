"""The answer of a kind with a part `results`, made from its ANSWER: clauses with numbers in braces.

`{accuracy.linear}` is a headline number with its error, and a `*` stands for several: `{accuracy.Taylor, *}`. Any other
name is a key of the settings, `{epochs}`; of a list the first value is shown. A clause is left out if a value is
missing.
"""

import fnmatch
import string
from typing import Any

from analysis.figures.labels import kind_of_points, word_of
from analysis.figures.words import main_names
from analysis.report.sentences import joined, over_points, sentence
from analysis.report.values import number, setting


def answer_of_run(results: Any, summary: dict) -> str:
    """Return the clauses of the answer whose numbers are known; "" where there are none."""
    finding, *further = [*(clause for each in results.ANSWER if (clause := _filled(each, summary))), ""]
    return sentence(finding, *further, summary=summary)


def answer_of_points(results: Any, summary: dict) -> str:
    """Return the ranges over a sweep's points of the numbers that the answer's first clause names."""
    patterns = [name for _, name, _, _ in string.Formatter().parse(results.ANSWER[0]) if name]
    numbers = dict.fromkeys(name for point in summary["points"].values() for name in main_names(point["numbers"]))
    names = [name for pattern in patterns for name in fnmatch.filter(numbers, pattern)]
    kind = kind_of_points(summary)
    ranges = [over_points(summary, name, f"the {word_of(kind, name).title}") for name in names]
    return sentence(*(each for each in ranges if each), summary=summary) if any(ranges) else ""


def _filled(clause: str, summary: dict) -> str:
    """Return a clause with its numbers and their errors; "" if one is not known."""
    parts = []
    for fixed, name, _, _ in string.Formatter().parse(clause):
        parts.append(fixed)
        if name:
            parts.append(_text(name, summary))
            if not parts[-1]:
                return ""
    return "".join(parts)


def _text(name: str, summary: dict) -> str:
    if "*" not in name:
        value = number(summary, name)
        return value.text() if value else setting(summary, name).strip("[]").partition(",")[0]
    matches = {match: number(summary, match) for match in fnmatch.filter(main_names(summary["numbers"]), name)}
    fixed = name.partition("*")[0]
    begin = max(fixed.rfind("."), fixed.rfind(", ") + 1) + 1  # the part in which matches differ
    return joined(f"{value.text()} ({match[begin:]})" for match, value in matches.items() if value)
