"""The headline numbers of `retrieval_cost` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "microseconds.step.{retriever}.{documents}": Word(
        "time per step, {retriever}, {documents} documents",
        "Median time of a training step with retriever {retriever} and {documents} documents.",
        "µs",
    ),
    "microseconds.answers.{retriever}.{documents}": Word(
        "time of a batch's answers, {retriever}, {documents} documents",
        "Median time of answers to a batch of given episodes, retriever {retriever}, {documents} documents.",
        "µs",
    ),
    "microseconds.retrieved.{retriever}.{documents}": Word(
        "time of a batch's answers after retrieval, {retriever}, {documents} documents",
        "The same where the {documents} documents of a dot product have entered the weights before.",
        "µs",
    ),
}
