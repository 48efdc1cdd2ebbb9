"""The headline numbers of `prompt_shifts` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "error.{shift}": Word(
        "error, {shift}", "The decoder's error under the shift: {shift}; relative to that of the answer 0."
    ),
}
