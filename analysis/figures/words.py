"""What learners and numbers are called where people read them."""

from collections.abc import Iterable

from analysis.figures.style import LEARNERS, METRICS
from lab.learners.roles import ROLES

OTHERS = {  # learners that no figure draws
    "ridge": "ridge regression",
    "least_squares": "least squares",
    "mean": "the mean (answers 0)",
    "mismatched": "shuffled-label control",
    "retrieved_descent": "gradient step from the retrieved model",
    "oracle": "best single step, in theory",
    "boosting": "gradient boosting on all training rows",
}
KINDS = ("stderr", "spread")  # the last words of numbers that belong to another number


def learner_label(name: str) -> str:
    """What a learner is called; the name itself, with spaces, of one that is not known."""
    if name in LEARNERS:
        return LEARNERS[name][0]
    return OTHERS.get(name) or (ROLES[name].label if name in ROLES else name.replace("_", " "))


def in_words(name: str) -> str:
    """What a number is called: 'loss, trained Transformer' for `loss.transformer`."""
    return ", ".join(METRICS[word][0] if word in METRICS else learner_label(word) for word in name.split("."))


def main_names(names: Iterable[str]) -> list[str]:
    """The names of numbers, each once, without those of standard errors and spreads."""
    return list(dict.fromkeys(name for name in names if name.split(".")[-1] not in KINDS))
