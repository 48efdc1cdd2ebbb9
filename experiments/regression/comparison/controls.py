"""Controls of comparisons: what a Transformer must have learned before claims about it are judged.

Layers of linear attention contain gradient descent, so one that is clearly worse has not been trained to the end. Where
a claim itself says that a layer does gradient descent, less is asked: more than half of what descent gains over an
untrained layer. The keywords of each control, {column of curves.csv: value}, choose the points that are looked at.
"""

import math
from collections.abc import Callable, Mapping

from analysis.figures import controls
from analysis.figures.controls import SECOND_HALF, Control, Evaluations, at_every_place, halfway
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition
from analysis.figures.measures import GD

LOSS, DESCENT = "loss.transformer", f"loss.{GD}"
SAME = 0.01  # relative difference of losses
HALF = 0.5


def learns(**where: str) -> tuple[Control, ...]:
    """Return the controls that a Transformer uses its context, and that its training is at its end."""
    return uses_context(**where), controls.flat(LOSS, SECOND_HALF, **where)


def uses_context(**where: str) -> Control:
    """Return the control that a Transformer gains more than half of what gradient descent gains over an untrained one.

    An untrained one answers about 0, as one that ignores its context.
    """

    def share(rows: Evaluations) -> Estimate:
        untrained, trained, descent = estimate(rows[0], LOSS), estimate(rows[-1], LOSS), estimate(rows[-1], DESCENT)
        return combine(lambda a, b, c: (a - b) / (a - c), untrained, trained, descent)

    label = "gain over an untrained layer / that of gradient descent"
    return _control("its answers use the context", label, share, where, low=HALF)


def reaches_descent(loss: str = LOSS, **where: str) -> Control:
    """Return the control that a Transformer is at most 1% worse than as many steps of gradient descent as it has
    layers.

    Args:
        loss: the column of curves.csv with its loss, or with that of another learner.
    """
    who = "it" if loss == LOSS else loss.removeprefix("loss.")
    return _over_descent(f"{who} is no worse than gradient descent", loss, where, high=SAME)


def is_descent(**where: str) -> Control:
    """Return the control that the loss of a layer of linear attention is within 1% of gradient descent's."""
    return _over_descent("the linear layer is a step of gradient descent", LOSS, where, low=-SAME, high=SAME)


def flat_for_descent(**where: str) -> Control:
    """Return the control that the second half of training gains little of what gradient descent gains.

    It is for a Transformer that may not have left its plateau, whose own gain is no unit then.
    """

    def share(rows: Evaluations) -> Estimate:
        start, middle, end = (estimate(each, LOSS) for each in (rows[0], halfway(rows), rows[-1]))
        return combine(lambda a, b, c, d: (b - c) / (a - d), start, middle, end, estimate(rows[-1], DESCENT))

    label = "gain of the second half / that of gradient descent"
    return _control("the loss is flat at the end of training", label, share, where, low=-SECOND_HALF, high=SECOND_HALF)


def _over_descent(name: str, loss: str, where: Mapping[str, str], **bounds: float) -> Control:
    def excess(rows: Evaluations) -> Estimate:
        return combine(lambda a, b: a / b - 1, estimate(rows[-1], loss), estimate(rows[-1], DESCENT))

    return _control(name, "loss / gradient descent's - 1", excess, where, **bounds)


def _control(
    name: str,
    label: str,
    number: Callable[[Evaluations], Estimate],
    where: Mapping[str, str],
    low: float = -math.inf,
    high: float = math.inf,
) -> Control:
    """Return the control that a number of each point's evaluations lies between bounds."""

    def judge(place: str, rows: Evaluations) -> Condition:
        return Condition(f"{place}{label}", number(rows), low, high)

    return Control(name, at_every_place(judge, where))
