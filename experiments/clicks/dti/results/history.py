"""Controls of the claims on click models: that they have learned.

Controls look at prompts as in training, and not at sliding windows: a model that is good in training and bad on sliding
windows has learned, and this is what the claims are about.
"""

from collections.abc import Mapping

from analysis.figures import controls
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, combine
from analysis.figures.evidence import Condition
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.select import Row, group_by, rows_where, table
from experiments.clicks.dti.results import BEST, CLICKS, ITEM, LABELS, PART, in_training, metric
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

HALF = 0.5  # of what a window tells beyond the item alone
SHARE = "share of what a window tells"


def of_parts(*parts: str) -> tuple[Control, ...]:
    """Return the controls for claims about these parts of a sweep, with half of what a window tells.

    Args:
        parts: the parts; those whose names end in `sliding` are trained on sliding windows.
    """
    return of_share(HALF, *parts)


def of_share(share: float, *parts: str) -> tuple[Control, ...]:
    """Return the same controls with another share of what a window tells beyond the item alone."""
    return use_history(share, *parts), are_flat(*parts)


def use_history(share: float, *parts: str, **where: str | float) -> Control:
    """Return the control that decoders use so much of what a window tells beyond the item alone.

    Args:
        where: {column: value} of the points that are looked at.
    """
    bounds = tuple(used(part, where) > share for part in parts)
    amount = "half" if share == HALF else f"{100 * share:g}%"
    return Control(f"it uses at least {amount} of what a window tells beyond the item", Every(bounds))


def used(part: str, where: Mapping[str, str | float]) -> Quantity:
    """Return the share of what a window tells that a part uses, at each number of targets."""

    def numbers(directory: RunDirectory) -> Numbers:
        groups = group_by(rows_where(table(directory, CLICKS), {PART: part, **where}), Clicks.TARGETS)
        return {f"targets {count:g}": share_of_window(rows, part) for count, rows in groups.items()}

    return Quantity(SHARE, LABELS.get(part, part.replace("_", " ")), numbers, "at every number of targets,")


def are_flat(*parts: str) -> Control:
    """Return the control that losses on prompts as in training are flat at the end of training."""

    def judge(directory: RunDirectory) -> list[Condition]:
        flat = [controls.flat(f"loss.{in_training(part)}", controls.SECOND_HALF, part=part) for part in parts]
        return [condition for control in flat for condition in control.judge(directory)]

    return Control("the loss on prompts as in training is flat at the end of training", judge)


def share_of_window(rows: list[Row], part: str) -> Estimate:
    """Return (AUC - that from the item alone) / (that from a window - that from the item alone), Bayes-optimal both."""
    model, item, window = (metric(rows, answers=name) for name in (in_training(part), ITEM, BEST))
    return combine(lambda a, low, high: (a - low) / (high - low), model, item, window)
