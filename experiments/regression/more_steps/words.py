"""The headline numbers of `more_steps` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "loss.{learner}.{place}": Word(
        "loss, {learner}, {place}", "Mean test loss of {learner} after all applications; in training {place}."
    ),
}
