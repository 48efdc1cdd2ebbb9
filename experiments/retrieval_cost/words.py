"""The headline numbers of `retrieval_cost` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "microseconds_per_step.{retriever}.{documents}": Word(
        "time per step, {retriever}, {documents} documents",
        "Median time of a training step with retriever {retriever} and {documents} documents.",
        "µs",
    ),
}
