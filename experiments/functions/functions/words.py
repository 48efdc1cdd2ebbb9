"""The headline numbers of `functions` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "error.{learner}.{examples}": Word(
        "error, {learner}, {examples} examples",
        "Mean loss of {learner} after {examples} examples, divided by that of the answer 0.",
    ),
    "distance.{learner}.{examples}": Word(
        "distance from the exact Bayes answer, {learner}, {examples} examples",
        "Mean squared distance of {learner} from the exact Bayes answer after {examples} examples, over E f².",
    ),
}
