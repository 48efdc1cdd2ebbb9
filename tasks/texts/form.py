"""The form of a data set of texts: from the cells of a row to a prompt and its answers."""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence

from tasks.errors import DataError
from tasks.texts.settings import Answer, Draw, Tokens

Cells = Mapping[str, object]  # a row of a file: texts, numbers, or what JSON nests
PLACE = re.compile(r"\{(\w+)\}")
ASKED = ("label", "choice")  # the places of a template that a model fills
FREE = ("N/A", "[MASK]", "")  # inputs without content (Zhao et al. 2021, section 5)


@dataclasses.dataclass(frozen=True)
class Item:
    """A row as a model is asked it.

    Args:
        prompt: the text before the answer.
        answers: the texts to choose among, each with the blank before it and what follows it.
        right: the place of the right one.
        row: the number of the row in its file, counted from 0.
    """

    prompt: str
    answers: tuple[str, ...]
    right: int
    row: int

    @property
    def shown(self) -> str:
        """The row as a demonstration."""
        return self.prompt + self.answers[self.right]


@dataclasses.dataclass(frozen=True)
class Choice:
    """A row with answers of its own: the cells of the template, the answers, and the right one's place."""

    cells: Cells
    options: Sequence[str]
    right: int


@dataclasses.dataclass(frozen=True)
class Form:
    """The form of a data set.

    Args:
        template: as `tasks.texts.settings` describes it.
        words: those that stand for the label's values; empty: the values themselves, or rows with answers of their own.
        values: the label's values in the order of the words; empty: 0, 1, ... or the sorted values of the file.
        query, label: their columns.
        choice: reads the answers of a row that has its own; None for classes.
        separator: what follows each demonstration.
        draw, examples: how many demonstrations, and which.
        answer: by what answers are compared.
        tokens: whether demonstrations and query are encoded together.
        test: the most test rows; 0: all.
        folders: where the files may lie below the data set's folder.
        train, splits: the name of the split to demonstrate from, and that of the test rows.
    """

    template: str = "Text: {query}\nLabel: {label}"
    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    query: str = "text"
    label: str = "label"
    choice: Callable[[Cells], Choice] | None = None
    separator: str = "\n\n"
    draw: Draw = Draw.per_class
    examples: int = 1
    answer: Answer = Answer.sum
    tokens: Tokens = Tokens.whole
    test: int = 0
    folders: tuple[str, ...] = ()
    train: str = "train"
    split: str = "test"

    @property
    def asked(self) -> str:
        """The place of the template that a model fills."""
        return ASKED[0] if self.choice is None else ASKED[1]

    def check(self, name: str) -> None:
        """Refuse a template without a place for the answer.

        Raises:
            DataError: it has none, or two, or one of the other sort.
        """
        places = [place for place in PLACE.findall(self.template) if place in ASKED]
        if places != [self.asked]:
            why = "rows have answers of their own" if self.choice else "a label is asked for"
            raise DataError(
                f"text.template={name}: {why}, so it must have {{{self.asked}}} once, and no other such place"
            )
        if self.answer is not Answer.calibrated:
            return
        if self.choice is not None:
            raise DataError("text.answer=calibrated: rows have answers of their own; allowed: sum, mean")
        if not PLACE.sub("", self.template.split(f"{{{self.asked}}}")[0]).strip():
            raise DataError(f"text.template={name}: for text.answer=calibrated it needs words of its own")

    def item(self, cells: Cells, classes: Sequence[str], row: int, where: str) -> Item:
        """Return a row as a model is asked it.

        Args:
            classes: the label's values in the order of the words; not used where rows have answers of their own.
            row: its number in the file. where: the file, for a message.

        Raises:
            DataError: a cell is missing or empty, or the label is none of the values.
        """
        place = f"{where}, row {row + 1}"
        if self.choice is None:
            choice = Choice(cells, self.words or classes, self.place_of(cells, classes, place))
        else:
            choice = self._chosen(cells, place)
        filled = {name: text_of(choice.cells, self._column(name), place, "text.query=NAME" if name == "query" else "")
                  for name in PLACE.findall(self.template) if name not in ASKED}  # fmt: skip
        return self._item(filled, choice.options, choice.right, row)

    def free(self, words: Sequence[str]) -> list[Item]:
        """Return inputs without content, each in the place of all of a row's texts; which answer is right says nothing.

        Args:
            words: those of the classes.
        """
        places = [name for name in PLACE.findall(self.template) if name not in ASKED]
        return [self._item(dict.fromkeys(places, text), words, 0, row) for row, text in enumerate(FREE)]

    def _item(self, filled: Mapping[str, str], options: Sequence[str], right: int, row: int) -> Item:
        head, tail = self.template.split(f"{{{self.asked}}}")
        prompt = _filled(head, filled)
        blank = prompt[len(prompt.rstrip(" ")) :]
        answers = tuple(blank + option + _filled(tail, filled) for option in options)
        return Item(prompt[: len(prompt) - len(blank)], answers, right, row)

    def place_of(self, cells: Cells, classes: Sequence[str], place: str) -> int:
        """Return the place of a row's label among the values."""
        label = text_of(cells, self.label, place, "text.label=NAME")
        if label not in classes:
            few = ", ".join([*classes][:8])
            hidden = " (a split without labels?)" if label == "-1" else ""
            raise DataError(f"{place}: {self.label} is {_short(label)}{hidden}; text.values allows {few}")
        return [*classes].index(label)

    def _chosen(self, cells: Cells, place: str) -> Choice:
        assert self.choice is not None
        try:
            choice = self.choice(cells)
        except DataError as error:
            raise DataError(f"{place}{error}") from error
        except KeyError as error:
            raise DataError(f"{place}: there is no {error.args[0]}; the row has {_names(cells)}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise DataError(f"{place}: not a row of this data set ({_short(str(error))})") from error
        if len(choice.options) < 2 or not 0 <= choice.right < len(choice.options):
            raise DataError(f"{place}: {len(choice.options)} answers, and number {choice.right + 1} is right")
        if not all(option.strip() for option in choice.options):
            raise DataError(f"{place}: an answer is empty")
        return choice

    def _column(self, name: str) -> str:
        return self.query if name == "query" and self.choice is None else name


def text_of(cells: Cells, name: str, place: str = "", key: str = "") -> str:
    """Return a cell as text. key: the setting that names its column, for a message.

    Raises:
        DataError: there is no such column, or the cell is empty or no text.
    """
    if name not in cells:
        raise DataError(f"{place}: there is no column {name}; {key or 'allowed'}: {_names(cells)}")
    try:
        return as_text(cells[name])
    except ValueError as error:
        raise DataError(f"{place}: {name} {error}") from error


def as_text(value: object) -> str:
    """Return the value of a cell as text, without blanks at its ends, as files have it: 1 for 1.0, true for True.

    Raises:
        ValueError: it is empty, as null and NaN are, or no text.
    """
    if isinstance(value, dict | list | bytes):
        raise ValueError(f"is no text, but {_short(str(value))}")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        value = int(value) if value.is_integer() else value if math.isfinite(value) else None
    text = "" if value is None else str(value).strip()
    if not text:
        raise ValueError("is empty")
    return text


def _filled(text: str, cells: Mapping[str, str]) -> str:
    return PLACE.sub(lambda match: cells.get(match[1], match[0]), text)


def _names(cells: Cells) -> str:
    return _short(", ".join(map(str, cells)))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
