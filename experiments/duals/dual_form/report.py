"""The answer to whether attention is gradient descent: how many identities hold, and how exactly."""

from analysis.report.sentences import over_points, sentence
from analysis.report.values import number, setting


def answer_of_run(summary: dict) -> str:
    """Return how many statements hold, the largest error of an identity, and what a frozen activation loses."""
    names = ("statements", "statements_that_hold", "largest_error", "effect_lost_relu", "effect_lost_gelu")
    total, held, error, relu, gelu = (number(summary, name) for name in names)
    if total is None or held is None:
        return ""
    all_hold = f"all {total.mean:g} statements hold"
    first = (
        all_hold if held.mean == total.mean else f"{total.mean - held.mean:g} of {total.mean:g} statements do not hold"
    )
    first = f"attention as gradient descent: {first}"
    first += f", and sides that should be equal differ by at most {error.text(2)} in float64" if error else ""
    lost = " and ".join(
        f"{value.mean:.0%} ({name})" for name, value in (("ReLU", relu), ("GELU", gelu)) if value is not None
    )
    second = f"an activation that is frozen at the initial model loses {lost} of the effect" if lost else ""
    return sentence(first, second, f"{setting(summary, 'cases')} random problems", summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the largest error."""
    return sentence(
        over_points(summary, "largest_error", "the largest error of an identity", digits=2), summary=summary
    )
