"""The results of a language model that reads its demonstrations again."""

from analysis.report.sentences import change, over_points, sentence
from analysis.report.values import number


def answer_of_run(summary: dict) -> str:
    """Return the gains with iterations chosen on validation rows and on the test itself, and on fresh rows."""
    accuracy, gain = number(summary, "accuracy.in_context"), number(summary, "gain.validated")
    if accuracy is None or gain is None:
        return ""
    eta, beta = (summary["numbers"][name] for name in ("eta", "beta"))
    rates = f" at eta = {eta:g} and beta = {beta:g}" if eta is not None and beta is not None else ""
    first = (
        f"reading the demonstrations again{rates}, as often as is best on validation rows, "
        f"{change(gain, f'the accuracy of {accuracy.text(4)}')}"
    )
    zero, best, fresh = (number(summary, name) for name in ("accuracy.zero_shot", "gain.best_test", "gain.fresh"))
    parts = []
    if zero is not None:
        parts.append(f"without demonstrations the accuracy is {zero.text()}")
    if best is not None and fresh is not None:
        parts.append(
            f"the number of iterations that is best on the test {change(best, 'the accuracy')} there, and "
            f"{change(fresh, 'it')} on rows that did not choose it"
        )
    return sentence(first, "; ".join(parts), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the gain with iterations chosen on validation rows."""
    noun = "what reading again gains in accuracy, as often as is best on validation rows,"
    accuracies = over_points(summary, "accuracy.in_context", "the accuracy of the first reading")
    return sentence(over_points(summary, "gain.validated", noun), accuracies, summary=summary)
