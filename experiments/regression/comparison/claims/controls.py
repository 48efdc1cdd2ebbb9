"""Controls of comparisons: what a Transformer must have learned before claims about it are judged.

Layers of linear attention contain gradient descent, so one that is clearly worse has not been trained to the end. Where
a claim itself says that a layer does gradient descent, less is asked: more than half of what descent gains over an
untrained layer.
"""

from analysis.figures import controls
from analysis.figures.controls import SECOND_HALF, Control, Evaluations, at_every_place, halfway
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.measures import GD

LOSS, DESCENT = "loss.transformer", f"loss.{GD}"
SAME = 0.01  # relative difference of losses
HALF = 0.5


def learns(**where: str) -> tuple[Control, ...]:
    """Return the controls that a Transformer uses its context, and that its training is at its end.

    Args:
        where: {column of curves.csv: value} of the points that are looked at.
    """
    return uses_context(**where), controls.flat(LOSS, SECOND_HALF, **where)


def uses_context(**where: str) -> Control:
    """Return the control that a Transformer gains more than half of what gradient descent gains over an untrained one.

    An untrained one answers about 0, as one that ignores its context.
    """

    def judge(place: str, rows: Evaluations) -> Condition:
        untrained, trained, descent = estimate(rows[0], LOSS), estimate(rows[-1], LOSS), estimate(rows[-1], DESCENT)
        share = combine(lambda a, b, c: (a - b) / (a - c), untrained, trained, descent)
        return above(f"{place}gain over an untrained layer / that of gradient descent", share, HALF)

    return Control("its answers use the context", at_every_place(judge, where))


def reaches_descent(loss: str = LOSS, **where: str) -> Control:
    """Return the control that a Transformer is at most 1% worse than as many steps of gradient descent as it has
    layers.

    Args:
        loss: the column of curves.csv with its loss, or with that of another learner.
        where: {column: value} of the points that are looked at.
    """

    def judge(place: str, rows: Evaluations) -> Condition:
        return below(f"{place}loss / gradient descent's - 1", _over_descent(rows, loss), SAME)

    who = "it" if loss == LOSS else loss.removeprefix("loss.")
    return Control(f"{who} is no worse than gradient descent", at_every_place(judge, where))


def is_descent(**where: str) -> Control:
    """Return the control that the loss of a layer of linear attention is within 1% of gradient descent's."""

    def judge(place: str, rows: Evaluations) -> Condition:
        return within(f"{place}loss / gradient descent's - 1", _over_descent(rows), SAME)

    return Control("the linear layer is a step of gradient descent", at_every_place(judge, where))


def flat_for_descent(**where: str) -> Control:
    """Return the control that the second half of training gains little of what gradient descent gains.

    It is for a Transformer that may not have left its plateau, whose own gain is no unit then.
    """

    def judge(place: str, rows: Evaluations) -> Condition:
        start, middle, end = (estimate(each, LOSS) for each in (rows[0], halfway(rows), rows[-1]))
        share = combine(lambda a, b, c, d: (b - c) / (a - d), start, middle, end, estimate(rows[-1], DESCENT))
        return within(f"{place}gain of the second half / that of gradient descent", share, SECOND_HALF)

    return Control("the loss is flat at the end of training", at_every_place(judge, where))


def _over_descent(rows: Evaluations, loss: str = LOSS) -> Estimate:
    return combine(lambda a, b: a / b - 1, estimate(rows[-1], loss), estimate(rows[-1], DESCENT))
