"""The headline numbers of `language_model` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "examples": Word("examples", "The most examples before a query; the accuracies are measured there."),
    "zero_shot.{question}.{words}": Word(
        "accuracy without examples, {question}, {words} words",
        "Share of queries on the {question} with {words} words that are answered right without examples.",
    ),
    "accuracy.{question}.{words}": Word(
        "accuracy, {question}, {words} words",
        "Share of queries on the {question} with {words} words that are answered right after the most examples.",
    ),
}
