"""The headline numbers of `decoder` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "examples": Word("examples", "The most examples that a test episode shows; the other numbers are measured there."),
    "loss": Word("loss", "Mean loss of the trained decoder on the test episodes."),
    "loss_excess": Word("excess loss", "Loss of the decoder minus that of the Bayes-optimal answer, same episodes."),
    "{score}_excess": Word(
        "excess {score}", "The decoder's {score} minus that of the Bayes-optimal answer, same episodes."
    ),
    "{score}": Word("{score}", "Mean {score} of the trained decoder on the test episodes."),
}
