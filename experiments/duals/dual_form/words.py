"""The headline numbers of `dual_form` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "largest_error": Word("largest error", "Largest difference of two sides that an identity says are equal."),
    "batch_against_online": Word(
        "batch against online descent", "Largest distance of batch from online descent, for cross-entropy."
    ),
    "effect_lost_{activation}": Word(
        "effect lost, {activation}",
        "Share of the demonstrations' effect that is lost with {activation} linearised without them.",
    ),
    "signs_flipped": Word("signs flipped", "Share of the pre-activations whose sign the demonstrations change."),
    "statements": Word("statements", "Number of statements that were checked."),
    "statements_that_hold": Word("statements that hold", "Number of statements that hold within their tolerance."),
}
