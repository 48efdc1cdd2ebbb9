"""The answer to which of several sets of demonstrations to show: accuracy with the choice of each score."""

from analysis.report.choice import LEAD, answer_of_choice
from analysis.report.sentences import joined, over_points, sentence, span
from analysis.report.values import claimed


def answer_of_run(summary: dict) -> str:
    """Return the accuracy with each score's choice, and by how much Effect_D's is better than the others'."""
    return answer_of_choice(summary, "is right in", "queries")


def answer_of_points(summary: dict) -> str:
    """Return by how much the choice of Effect_D is more accurate than the others', over the points."""
    clauses = []
    for label in ("accuracy", "log-loss"):
        if leads := [lead for name, lead in claimed(summary, LEAD).items() if name.endswith(label)]:
            clauses.append(f"{span(leads)} ({label})")
    what = "with more classes the accuracy with the choice of Effect_D, less that with another score's, is"
    first = f"{what} {joined(clauses)}" if clauses else ""
    noun = "the accuracy with the choice of Effect_D"
    return sentence(first or over_points(summary, "accuracy.effect", noun), summary=summary)
