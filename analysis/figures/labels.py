"""The names of learners and headline numbers as people read them: a label, a unit and a sentence.

Those of numbers are of the columns that the part `results` of a kind declares: COLUMN alone, COLUMN.VALUE or
VALUE.COLUMN.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from analysis.metrics.columns import Metric
from analysis.tables.columns import Statistic
from lab.config.kinds import results_of
from lab.learners.roles import ROLES

METRICS: dict[str, tuple[str, str, str]] = {
    Metric.COSINE: ("cosine of sensitivities", "#D55E00", "-"),
    Metric.SENSITIVITY_L2: ("sensitivity difference (L2)", "#CC79A7", "--"),
    Metric.PREDICTION_L2: ("prediction difference (L2)", "#56B4E9", "-."),
}
WORD = re.compile(r"(?:=-?\d+\.\d+|[^.])+")  # of a number's name; a point after = and digits is a decimal point
OF_ANOTHER = (Statistic.STDERR, Statistic.SPREAD)  # the last word of a number's name, if it belongs to another number
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
    for column in getattr(results_of(kind), "HEADLINES", ()):
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


def learner_label(name: str) -> str:
    """Return the label of a learner; an unknown learner's is its name, with spaces."""
    return ROLES[name].label if name in ROLES else name.replace("_", " ")


def in_words(name: str) -> str:
    """Return a number's name in words: 'loss, trained Transformer' for `loss.transformer`.

    Points separate words, but those of decimals: `half.rope.eta=0.1` is 'half, rope, eta=0.1'.
    """
    words = (word.replace("·", ".") for word in WORD.findall(name))
    return ", ".join(METRICS[word][0] if word in METRICS else learner_label(word) for word in words)


def main_names(names: Iterable[str]) -> list[str]:
    """Return the names of numbers, each once, without standard errors and spreads of other numbers."""
    return list(dict.fromkeys(name for name in names if "." not in name or name.split(".")[-1] not in OF_ANOTHER))


def part_in_words(name: str) -> str:
    """Return the name of a sweep's part in words: '2 layers' for `layers_2`, 'rag dot' for `rag_dot`."""
    word, _, count = name.rpartition("_")
    return f"{count} {word}" if word and count.isdigit() else name.replace("_", " ")
