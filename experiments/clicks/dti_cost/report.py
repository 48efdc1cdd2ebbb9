"""The answer to what prompts of many targets save: shares of the formula's gain, in time."""

from analysis.report.sentences import counted, over_points, sentence, span
from analysis.report.values import claimed, number, setting


def answer_of_run(summary: dict) -> str:
    """Return the gain in time as a share of the formula's, over sizes, and the differences of counted operations."""
    median, smallest = number(summary, "median_share"), number(summary, "smallest_share")
    if median is None or smallest is None:
        return ""
    shares = claimed(summary, "time gain / formula")
    sizes = f" (means over rounds {span([*shares.values()])})" if shares else ""
    first = (
        "in a training step, prompts of many targets save "
        f"{median.text()} of the gain in time that the formula nk / (n + k) gives, in the median over sizes, and "
        f"{smallest.text()} at the worst{sizes}"
    )
    return sentence(first, _rounds(summary), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range of the median share over the points."""
    noun = "the gain in time as a share of the formula's, the median over sizes,"
    return sentence(
        over_points(summary, "median_share", noun), _rounds(next(iter(summary["points"].values()))), summary=summary
    )


def _rounds(summary: dict) -> str:
    return f"{counted(int(setting(summary, 'rounds')), 'round')} of measurements"
