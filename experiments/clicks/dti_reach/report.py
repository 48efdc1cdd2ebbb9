"""The answer to who can see what in a prompt of many targets: how many statements hold, and how exactly."""

from analysis.report.sentences import over_points, sentence
from analysis.report.values import number, setting


def answer_of_run(summary: dict) -> str:
    """Return how many of the derived statements hold, and the largest difference of answers that should be equal."""
    total, held, error = (number(summary, name) for name in ("statements", "statements_that_hold", "largest_error"))
    if total is None or held is None:
        return ""
    first = (
        f"{_share(held.mean, total.mean)} about which inputs an answer depends on in a prompt of many targets, with "
        "random weights in float64"
    )
    second = f"answers that should be equal differ by at most {error.text(2)}" if error else ""
    trained = setting(summary, "trained.words") not in ("", "[]")
    third = "how far trained decoders reach is in the table leaks" if trained else ""
    return sentence(first, second, third, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the number of statements that hold."""
    held = over_points(summary, "statements_that_hold", "the number of statements that hold")
    errors = over_points(summary, "largest_error", "the largest difference of answers that should be equal", digits=2)
    return sentence(held, errors, summary=summary)


def _share(held: float, total: float) -> str:
    if held == total:
        return f"all {total:g} statements hold"
    return f"{total - held:g} of {total:g} statements do not hold"
