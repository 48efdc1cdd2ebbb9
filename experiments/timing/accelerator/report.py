"""The answer to what a device gets right and how much of its speed trainings use."""

from analysis.report.sentences import counted, joined, over_points, sentence
from analysis.report.values import number, setting
from experiments.timing.accelerator.words import NAMES

SHARE, ERROR = "share_of_flops.", "error."


def answer_of_run(summary: dict) -> str:
    """Return which checks have the largest error, and the shares of the fastest product that the programs reach."""
    shares = [name for name in summary["numbers"] if name.startswith(SHARE)]
    if not shares:
        return ""
    reached = joined(
        f"{value.text(2)} by {_words(name)}" for name in shares if (value := number(summary, name)) is not None
    )
    first = f"of the fastest product of matrices on {summary.get('device', 'this device')} is reached: {reached}"
    errors = {name: value for name in summary["numbers"] if name.startswith(ERROR) and (value := number(summary, name))}
    largest = max(errors, key=lambda name: errors[name].mean)
    second = f"the largest relative error is {errors[largest].text(2)}, of {_words(largest)}"
    return sentence(first, second, _rounds(summary), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the first share."""
    names = [name for point in summary["points"].values() for name in point["numbers"] if name.startswith(SHARE)]
    if not names:
        return ""
    return sentence(over_points(summary, names[0], f"the share of {_words(names[0])}"), summary=summary)


def _words(name: str) -> str:
    _, subject, precision = name.split(".")
    return f"{NAMES[subject]} in {precision}"


def _rounds(summary: dict) -> str:
    return f"medians of {counted(int(setting(summary, 'rounds')), 'round')}"
