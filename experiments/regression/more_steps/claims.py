"""Claims about a layer that is applied more often than in training [VO23, A.6].

They are judged over seeds, by the mean loss over test episodes. Ratios are compared by their logarithms, as a loss that
has diverged is known by its order of magnitude alone.
"""

import itertools
import math
from collections.abc import Callable

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.regression.more_steps.columns import Common, Losses, Table
from lab.runs.directory import RunDirectory

LEARNERS = {"transformer": "trained layer", "gradient_descent": "gradient descent"}
DAMPED, LESS_DAMPED, UNDAMPED = 0.75, 0.875, 1.0
ALIKE = 0.1  # relative difference of losses
SAME = 0.01  # the same, of a layer that is a step of gradient descent


def _rows(directory: RunDirectory, layers: float, damping: float, learner: str) -> list[Row]:
    wanted = {Common.LAYERS: layers, Losses.DAMPING: damping, Losses.LEARNER: learner}
    return rows_where(table(directory, Table.APPLICATIONS), wanted)


def _loss(rows: list[Row], applications: float) -> Estimate:
    return estimate(rows_where(rows, {Losses.APPLICATIONS: applications}), Losses.LOSS)


def _last(rows: list[Row]) -> float:
    return max(distinct(rows, Losses.APPLICATIONS))


def log_ratio(one: Estimate, other: Estimate) -> Estimate:
    """Return log10 of the ratio, within each seed."""
    return combine(lambda a, b: math.log10(a / b), one, other)


def diverges_undamped(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for learner, name in LEARNERS.items():
        rows = _rows(directory, 1, UNDAMPED, learner)
        change = log_ratio(_loss(rows, _last(rows)), _loss(rows, 1))
        conditions.append(above(f"{name}, undamped: log10 of the loss after {_last(rows):g} times / after 1", change))
    return conditions


def falls_steadily_damped(directory: RunDirectory) -> list[Condition]:
    """Use the largest change of log10(loss) in one step, within each seed; below 0 if all steps lower the loss."""
    conditions = []
    for learner, name in LEARNERS.items():
        rows = _rows(directory, 1, DAMPED, learner)
        counts = distinct(rows, Losses.APPLICATIONS)
        losses = [_loss(rows, count) for count in counts]
        changes = [log_ratio(later, earlier) for earlier, later in itertools.pairwise(losses)]
        largest = combine(max, *changes)
        conditions.append(below(f"{name}, damping {DAMPED}: largest change of log10 loss in one step", largest))
    return conditions


def alike_damped(learner: str, name: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether a learner's loss is gradient descent's, after 10 applications and after all of them."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows, descent = (_rows(directory, 1, DAMPED, each) for each in (learner, "gradient_descent"))
        return [
            within(
                f"after {count:g} times: loss of the {name} / gradient descent's - 1",
                combine(lambda a, b: a / b - 1, _loss(rows, count), _loss(descent, count)),
                ALIKE,
            )
            for count in sorted({min(10.0, _last(rows)), _last(rows)})
        ]

    return judge


def descent_is_more_robust(directory: RunDirectory) -> list[Condition]:
    trained, descent = (_rows(directory, 1, LESS_DAMPED, learner) for learner in LEARNERS)
    last = _last(trained)
    ratio = log_ratio(_loss(trained, last), _loss(descent, last))
    return [above(f"damping {LESS_DAMPED}, after {last:g} times: log10 loss, trained layer / gradient descent", ratio)]


def loops_go_on(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for layers in distinct(table(directory, Table.APPLICATIONS), Common.LAYERS):
        if layers > 1:
            damped, undamped = (_rows(directory, layers, each, "transformer") for each in (DAMPED, UNDAMPED))
            change = log_ratio(_loss(damped, _last(damped)), _loss(undamped, layers))
            name = f"{layers:g} times in training: log10 loss, {_last(damped):g} times damped / as in training"
            conditions.append(below(name, change))
    return conditions


def layers_are_trained(directory: RunDirectory) -> list[Condition]:
    """Judge the control that a layer, applied as often as in training, is no worse than gradient descent."""
    conditions = []
    for layers in distinct(table(directory, Table.APPLICATIONS), Common.LAYERS):
        trained, descent = (_loss(_rows(directory, layers, UNDAMPED, learner), layers) for learner in LEARNERS)
        share = combine(lambda a, b: a / b - 1, trained, descent)
        conditions.append(below(f"{layers:g} times in training: loss / gradient descent's - 1", share, SAME))
    return conditions


CONTROLS = (Control("applied as in training, a layer is no worse than gradient descent", layers_are_trained),)
CLAIMS = (
    Claim(
        "A layer that is trained for one step diverges when it is applied many times, and so does gradient descent.",
        said(Work.VO23, "A.6 and figure 10"),
        "undamped, for both, the mean loss after all applications (50) is above that after one",
        diverges_undamped,
    ),
    Claim(
        "Damped by .75, both steadily decrease the loss within 50 steps.",
        said(Work.VO23, "A.6"),
        "for both, the mean loss after each application up to the last is below that after the one before",
        falls_steadily_damped,
    ),
    Claim(
        "Damped by .75, the decrease of the loss is the same for both.",
        said(Work.VO23, "section 3, on one step, 3rd point, and figure 10, caption"),
        "the mean losses of the trained layer and of gradient descent are within 10% of one another after 10 "
        "applications and after all (50)",
        alike_damped("transformer", "trained layer"),
    ),
    Claim(
        "What sets the trained layer apart from gradient descent when it is applied again is what it writes outside of "
        "the y-slots, which training for one step does not see.",
        own("derived here from VO23, A.6"),
        "damped by .75 and changing y-slots alone, its mean loss is within 10% of gradient descent's after 10 "
        "applications and after all (50)",
        alike_damped("answers_only", "trained layer, y alone,"),
    ),
    Claim(
        "Gradient descent is slightly more robust.",
        said(Work.VO23, "figure 10, caption"),
        "damped by .875, the mean loss of the trained layer after all applications (50) is above gradient descent's",
        descent_is_more_robust,
    ),
    Claim(
        "A layer that is trained in a loop goes on decreasing the loss when it is damped and applied more often.",
        own("derived here from VO23, A.6"),
        "for each loop of training, the mean loss after all applications (50) with damping .75 is below that after as "
        "many as in training, undamped",
        loops_go_on,
    ),
)
