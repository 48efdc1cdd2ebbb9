"""The answer to how many random features it takes for softmax attention to be gradient descent."""

from analysis.report.sentences import over_points, sentence
from analysis.report.values import claimed, number, setting
from experiments.duals.softmax_dual.claims import EXACT

MAPS = {"trigonometric": "trigonometric", "positive": "positive"}


def answer_of_run(summary: dict) -> str:
    """Return the error of the kernel form, that of the most features, and what features leave of a decoder."""
    exact = number(summary, "end.kernel")
    if exact is None:
        return ""
    where = "at" if exact.high <= EXACT else "away from"
    first = f"in kernel form the gradient steps end {where} softmax attention, {exact.text(2)} from it at most"
    counts = setting(summary, "errors.features").strip("[]").split(",")
    shortest, longest = (number(summary, f"error.trigonometric.{norm}") for norm in ("shortest", "longest"))
    if shortest and longest and counts[0]:
        most = max(counts, key=int)
        first += (
            f"; {most} trigonometric features leave a median error of {shortest.text(2)} for the shortest queries and "
            f"keys and of {longest.text(2)} for the longest"
        )
    return sentence(first, _replaced(summary), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the error with the most features."""
    noun = "the median error with the most trigonometric features for the longest queries and keys"
    return sentence(over_points(summary, "error.trigonometric.longest", noun, digits=2), summary=summary)


def _replaced(summary: dict) -> str:
    """Return the accuracy of trained decoders with the fewest features in the place of their attention."""
    exact = number(summary, "accuracy.exact")
    counts = setting(summary, "replaced.features").strip("[]").split(",")
    accuracies = {label: number(summary, f"accuracy.{name}") for name, label in MAPS.items()}
    replaced = [f"{value.text()} ({label})" for label, value in accuracies.items() if value]
    if exact is None or not replaced or not counts[0]:
        return ""
    agreement = [*claimed(summary, "agreement").values()]
    same = f"; trigonometric ones leave the class as it is for {agreement[0].text()} of queries" if agreement else ""
    fewest = min(counts, key=int)
    return f"{fewest} features take a trained decoder's accuracy from {exact.text()} to {' and '.join(replaced)}{same}"
