"""The answer to how much of softmax a trained decoder needs: accuracies from linear attention up to softmax."""

from analysis.report.measured import number
from analysis.report.sentences import joined, over_points, sentence

WORDS = {
    "linear": "linear attention",
    "linear, divided by n": "linear attention divided by the number of tokens",
    "normaliser without examples": "softmax whose normaliser leaves the examples out",
}


def answer_of_run(summary: dict) -> str:
    """Return the accuracies with softmax and with the plainest attention, and of the Taylor weights."""
    whole, values = number(summary, "accuracy.softmax"), {name: number(summary, f"accuracy.{name}") for name in WORDS}
    if whole is None:
        return ""
    names = [name for name in summary["numbers"] if name.startswith("accuracy.Taylor") and "stderr" not in name]
    degrees = {name: number(summary, name) for name in names}
    taylor = joined(f"{value.text()} at degree {name.split()[-1]}" for name, value in degrees.items() if value)
    plain = joined(f"{value.text()} with {WORDS[name]}" for name, value in values.items() if value)
    first = f"the decoder is right in {whole.text()} of queries with softmax, and in {plain} in its place"
    return sentence(first, f"Taylor weights give {taylor}" if taylor else "", summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the ranges over the points of the accuracies with softmax and with linear attention."""
    ranges = [
        over_points(summary, "accuracy.softmax", "the accuracy with softmax"),
        over_points(summary, "accuracy.linear", "the accuracy with linear attention in its place"),
    ]
    return sentence(*ranges, summary=summary)
