"""The answer to whether a small language model learns words in context."""

from analysis.report.sentences import over_points, sentence, share
from analysis.report.values import number

QUESTIONS = ("sentiment", "topic")


def answer_of_run(summary: dict) -> str:
    """Return the accuracies with exchanged words after the most examples, and without examples."""
    examples = number(summary, "examples")
    clauses = []
    for question in QUESTIONS:
        one, other = (number(summary, f"{name}.{question}.exchanged") for name in ("accuracy", "zero_shot"))
        if one is not None and other is not None:
            clauses.append(f"{share(one)} of the queries on the {question} (without examples {share(other)})")
    if not clauses or examples is None:
        return ""
    first = f"where words are exchanged, {examples.mean:g} examples let the model answer {' and '.join(clauses)} right"
    return sentence(first, "", summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the accuracy with exchanged words."""
    noun = "the accuracy on the sentiment with exchanged words after the most examples"
    return sentence(over_points(summary, "accuracy.sentiment.exchanged", noun), summary=summary)
