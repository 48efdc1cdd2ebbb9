"""The answer to which set of demonstrations to show a language model: accuracy with the choice of each score."""

from analysis.report.choice import answer_of_choice
from analysis.report.sentences import over_points, sentence


def answer_of_run(summary: dict) -> str:
    """Return the accuracy with each score's choice, and by how much Effect_D's is better than the others'."""
    return answer_of_choice(summary, "lets the language model be right in", "test rows")


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the accuracy with the choice of Effect_D."""
    noun = "the language model's accuracy with the choice of Effect_D"
    return sentence(over_points(summary, "accuracy.effect", noun), summary=summary)
