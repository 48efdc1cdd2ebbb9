"""Rows that have answers of their own, as the data sets write them: in columns, or nested in JSON."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tasks.datasets.cells import whole_in
from tasks.texts.form import Cells, Choice, text_of


def of_columns(names: Sequence[str], label: str, values: Sequence[str]) -> Callable[[Cells], Choice]:
    """Return a reader of rows whose answers are columns.

    Args:
        names: the columns of the answers. label: the column that says which is right.
        values: the label's values in the order of the answers; empty: 0, 1, ...
    """

    def read(cells: Cells) -> Choice:
        options = [text_of(cells, name) for name in names]
        allowed = [*values] or [str(place) for place in range(len(names))]
        right = text_of(cells, label)
        if right not in allowed:
            raise ValueError(f"{label} is {right}, text.values allows {', '.join(allowed)}")
        return Choice(cells, options, allowed.index(right))

    return read


def copa(cells: Cells) -> Choice:
    """Read COPA: a premise, which loses its full stop, and two causes or effects of it."""
    premise = _text(cells, "premise").removesuffix(".")
    link = {"cause": "because", "effect": "therefore"}.get(str(cells["question"]))
    if link is None:
        raise ValueError(f"question is {cells['question']}, and neither cause nor effect")
    options = [_text(cells, name) for name in ("choice1", "choice2")]
    return Choice({"query": premise, "link": link}, options, _number(cells, "label"))


def lettered(stem: str) -> Callable[[Cells], Choice]:
    """Return a reader of a question whose answers have letters, flat or nested as their authors published them.

    Args:
        stem: the name of the question's text in a flat row.
    """

    def read(cells: Cells) -> Choice:
        question = cells.get("question")
        nested = question if isinstance(question, dict) else None
        choices: Any = nested["choices"] if nested else cells["choices"]
        if isinstance(choices, dict):
            options, letters = [*choices["text"]], [*choices["label"]]
        else:
            options, letters = ([each[name] for each in choices] for name in ("text", "label"))
        query = nested["stem"] if nested else cells[stem]
        right = [str(letter) for letter in letters].index(str(cells["answerKey"]))
        return Choice({"query": query}, _answers(options), right)

    return read


def winogrande(cells: Cells) -> Choice:
    """Read WinoGrande: a sentence with a gap, and two ways to fill it; what follows the gap is scored with it."""
    head, tail = (part.strip() for part in _text(cells, "sentence").split("_"))
    options = [_text(cells, name) for name in ("option1", "option2")]
    return Choice({"query_a": head, "query_b": tail}, options, _number(cells, "answer") - 1)


def hellaswag(cells: Cells) -> Choice:
    """Read HellaSwag: the beginning of a text, and four ways to end it."""
    endings = cells["endings"]
    if not isinstance(endings, list | tuple):
        raise ValueError("endings is no list")
    return Choice({"query": cells["ctx"]}, _answers(endings), _number(cells, "label"))


def _text(cells: Cells, name: str) -> str:
    return text_of({name: cells[name]}, name)  # a KeyError says that the row is of another data set


def _answers(values: Iterable[object]) -> list[str]:
    return [text_of({"an answer": value}, "an answer") for value in values]


def _number(cells: Cells, name: str) -> int:
    number = whole_in(_text(cells, name))
    if number is None:
        raise ValueError(f"{name} is {cells[name]}, and no whole number")
    return number
