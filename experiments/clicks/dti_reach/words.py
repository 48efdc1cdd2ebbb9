"""The headline numbers of `dti_reach` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "statements": Word("statements", "Number of statements that were checked."),
    "statements_that_hold": Word("statements that hold", "Number of statements that hold within their tolerance."),
    "largest_error": Word("largest error", "Largest difference of two sides that a theorem says are equal."),
}
