"""The answer to whether a language model's attention is gradient descent on dual models."""

from analysis.report.sentences import over_points, sentence
from analysis.report.values import number
from experiments.duals.language_dual.columns import EQUAL


def answer_of_run(summary: dict) -> str:
    """Return the largest error of the dual models, and how much the demonstrations move their answers."""
    error, moved = number(summary, "error"), number(summary, "moved")
    if error is None:
        return ""
    are = "are" if error.high <= EQUAL else "are not"
    first = (
        f"in every layer the answers of the dual models of all tokens {are} attention's outputs: they "
        f"differ by at most {error.mean:.2g} of the largest one"
    )
    second = f"the step on the demonstrations is {moved.text()} of an answer of the last token" if moved else ""
    return sentence(first, second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of how much the demonstrations move the answers."""
    noun = "the size of the demonstrations' step in an answer of the last token's dual models"
    return sentence(over_points(summary, "moved", noun), summary=summary)
