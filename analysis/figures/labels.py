"""The headline numbers of each kind as people read them: a label, a unit and a sentence.

They are those of the columns that its part `results` declares: COLUMN alone, COLUMN.VALUE or VALUE.COLUMN.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from analysis.figures.words import in_words, learner_label
from lab.config.kinds import KINDS

BETWEEN = re.compile(r"(?<!\d)\.|\.(?!\d)")  # parts of a number's name: a point that is no decimal one


@dataclasses.dataclass(frozen=True)
class Word:
    """A number as people read it."""

    label: str
    sentence: str = ""
    unit: str = ""  # empty: none, or that of the task's answers

    @property
    def title(self) -> str:
        """The label with the unit, for the head of a column or a panel."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def word_of(kind: str, name: str) -> Word:
    """Return the label, unit and sentence of a number; of one that its kind does not describe, its name in words.

    Args:
        kind: the name of the run's kind, which need not be installed.
        name: the name of the number in the summary, without `.stderr` and `.spread`.
    """
    return registered(kind, name) or Word(in_words(name))


def registered(kind: str, name: str) -> Word | None:
    """Return the label, unit and sentence of the column that a kind declares for a number; None without."""
    column, value = column_of(kind, name)
    return column and Word(", ".join((column.label, *value_labels(value))), column.sentence, column.unit)


def column_of(kind: str, name: str) -> tuple[Any, str]:
    """Return the column (or `analysis.results.column.Headline`) of a number and the value in its name; (None, "")
    where the kind declares none."""
    if kind in KINDS and "results" in KINDS[kind].parts:
        for column in KINDS[kind].load("results").HEADLINES:
            prefix, separator, suffix = f".{name}.".partition(f".{column.name}.")
            if separator:
                return column, (prefix + suffix).strip(".")
    return None, ""


def value_labels(value: str) -> list[str]:
    """Return the parts of a value in a number's name, learners by their labels."""
    return [learner_label(part) for part in BETWEEN.split(value) if part]


def common_kind(summaries: Iterable[Mapping]) -> str:
    """Return the kind that runs have in common; "" if there are several, or none."""
    names = {summary.get("kind", "") for summary in summaries}
    return names.pop() if len(names) == 1 else ""


def kind_of_points(summary: Mapping) -> str:
    """Return the kind of a sweep's points if all are runs of one kind; "" otherwise: they have no number in common."""
    points = summary["points"].values()
    return "" if any("points" in point for point in points) else common_kind(points)
