"""The headline numbers of each kind as people read them: a label, a unit and a sentence.

They are those of the columns that its part `results` declares: COLUMN alone, COLUMN.VALUE or VALUE.COLUMN. A kind
without it has a part `words` with NUMBERS, {pattern: Word}. A pattern is the name of a number; {WORD} in it stands for
one of the name's parts, which are separated by points, or at its end for all that is left. Label and sentence may
repeat it:

    NUMBERS = {"loss.{learner}": Word("loss of {learner}", "Mean loss of {learner} on the test episodes.")}

They show a learner by its label, and any other part in the words of the kind's NAMES, {part: words}, if it has some.
"""

import dataclasses
import functools
import re
from collections.abc import Iterable, Mapping

from analysis.figures.words import in_words, learner_label
from lab.config.kinds import KINDS
from lab.learners.roles import ROLES

PLACE = re.compile(r"\{(\w+)\}")
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
    """Return the label, unit and sentence that a kind's part `words` gives for a number; None without."""
    its_kind = KINDS.get(kind)
    if its_kind is not None and "results" in its_kind.parts:
        for column in its_kind.load("results").HEADLINES:
            prefix, separator, suffix = f".{name}.".partition(f".{column.name}.")
            if separator:
                values = (learner_label(value) for value in BETWEEN.split(prefix + suffix) if value)
                return Word(", ".join((column.label, *values)), column.sentence, column.unit)
        return None
    if its_kind is None or "words" not in its_kind.parts:
        return None
    names = getattr(its_kind.load("words"), "NAMES", {})
    for pattern, word in its_kind.load("words").NUMBERS.items():
        if match := _pattern(pattern).fullmatch(name):
            parts = {place: _part(text, names) for place, text in match.groupdict().items()}
            return Word(word.label.format(**parts), word.sentence.format(**parts), word.unit)
    return None


def common_kind(summaries: Iterable[Mapping]) -> str:
    """Return the kind that runs have in common; "" if there are several, or none."""
    names = {summary.get("kind", "") for summary in summaries}
    return names.pop() if len(names) == 1 else ""


def kind_of_points(summary: Mapping) -> str:
    """Return the kind of a sweep's points if all are runs of one kind; "" otherwise: they have no number in common."""
    points = summary["points"].values()
    return "" if any("points" in point for point in points) else common_kind(points)


@functools.cache
def _pattern(text: str) -> re.Pattern:
    fixed = PLACE.split(text)  # fixed text and names of places in turns
    last = len(fixed) - 2 if fixed[-1] == "" else None
    parts = (
        (f"(?P<{part}>.+)" if number == last else f"(?P<{part}>[^.]+)") if number % 2 else re.escape(part)
        for number, part in enumerate(fixed)
    )
    return re.compile("".join(parts))


def _part(text: str, names: dict[str, str]) -> str:
    if text in names:
        return names[text]
    return ROLES[text].label if text in ROLES else text.replace("_", " ").replace("·", ".")
