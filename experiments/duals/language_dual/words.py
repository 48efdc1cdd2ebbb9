"""The headline numbers of `language_dual` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "error": Word(
        "error of dual models", "Largest difference of a dual model's answer from attention's output, relative to it."
    ),
    "share": Word("attention on demonstrations", "Share of the last token's attention on demonstrations, mean of all."),
    "norm": Word("norm", "Geometric mean of the norms of the last query and of the demonstrations' keys, mean of all."),
    "moved": Word(
        "moved by the step", "Size of the step's part in the answer of the last token's dual models, relative to it."
    ),
}
