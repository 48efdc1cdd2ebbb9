"""The headline numbers of `task_diversity` as people read them."""

from analysis.figures.labels import Word

NAMES = {"dmmse": "the optimum for the pool", "ridge": "the optimum for all functions"}

NUMBERS = {
    "distance_pool.{other}": Word(
        "distance from {other}, pool",
        "Mean squared distance of the decoder from {other}, on the pool, relative to the answer 0.",
    ),
    "distance_fresh.{other}": Word(
        "distance from {other}, new",
        "Mean squared distance of the decoder from {other}, on new functions, relative to the answer 0.",
    ),
    "error_pool.{learner}": Word(
        "error of {learner}, pool",
        "Mean squared error of {learner} on functions of the pool, relative to the answer 0.",
    ),
    "error_fresh.{learner}": Word(
        "error of {learner}, new", "Mean squared error of {learner} on new functions, relative to the answer 0."
    ),
}
