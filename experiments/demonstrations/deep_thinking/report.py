"""The results of reading the context again."""

from analysis.report.sentences import change, joined, over_points, sentence
from analysis.report.values import number


def answer_of_run(summary: dict) -> str:
    """Return the gains with iterations chosen on other tasks and by the source's protocol, and on fresh queries."""
    accuracy, gain = number(summary, "accuracy.in_context"), number(summary, "gain.validated")
    if accuracy is None or gain is None:
        return ""
    rates = [f"{name} = {value.text()}" for name in ("eta", "beta") if (value := number(summary, name))]
    at_these = f" at {joined(rates)}" if rates else ""
    first = (
        f"reading the context again{at_these}, as often as is best on other tasks, "
        f"{change(gain, f'the accuracy of {accuracy.text(4)}')}"
    )
    scored, fresh = number(summary, "gain.best_per_task"), number(summary, "gain.fresh")
    queries = number(summary, "scored")
    those = f"{queries.mean:g} queries" if queries else "the queries that choose"
    second = ""
    if scored and fresh:
        second = (
            f"chosen for each task on {those} it {change(scored, 'the accuracy')} on these, and "
            f"{change(fresh, 'it')} on fresh queries of the same tasks"
        )
    return sentence(first, second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the gain with iterations chosen on other tasks."""
    noun = "what reading again gains in accuracy, as often as is best on other tasks,"
    accuracies = over_points(summary, "accuracy.in_context", "the accuracy of the first reading")
    return sentence(over_points(summary, "gain.validated", noun), accuracies, summary=summary)
