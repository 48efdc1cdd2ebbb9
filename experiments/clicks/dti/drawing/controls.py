"""Controls of claims about click models: that they use history, and that their training was at its end.

Both look at prompts as in training, and not at sliding windows: a model that is good in training and bad on sliding
windows has learned, and this is what the claims are about.
"""

from collections.abc import Mapping

from analysis.figures import learned
from analysis.figures.claim import Control
from analysis.figures.estimates import Estimate, combine
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Table
from analysis.tables.select import Row, group_by, rows_where, table
from experiments.clicks.dti.drawing.measures import BEST, LABELS, in_training, metric
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

HALF = 0.5  # of what a window tells beyond the item alone


def of_parts(*parts: str) -> tuple[Control, ...]:
    """Return the controls for claims about these parts of a sweep, with half of what a window tells.

    Args:
        parts: the parts; those whose names end in `sliding` are trained on sliding windows.
    """
    return of_share(HALF, *parts)


def of_share(share: float, *parts: str) -> tuple[Control, ...]:
    """Return the same controls with another share of what a window tells beyond the item alone.

    Args:
        share: the least that decoders must use.
        parts: as those of `of_parts`.
    """
    return use_history(share, *parts), are_flat(*parts)


def use_history(share: float, *parts: str, **where: str | float) -> Control:
    """Return the control that decoders use so much of what a window tells beyond the item alone.

    Args:
        share, parts: as those of `of_share`.
        where: {column: value} of the points that are looked at.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows, conditions = table(directory, Table.CLICKS), []
        for part in parts:
            by_targets = group_by(rows_where(rows, {"part": part, **where}), Clicks.TARGETS)
            conditions += [
                above(
                    f"{_words(part, targets, where)}: share of what a window tells",
                    share_of_window(of_targets, part),
                    share,
                )
                for targets, of_targets in by_targets.items()
            ]
        return conditions

    amount = "half" if share == HALF else f"{100 * share:g}%"
    return Control(f"it uses at least {amount} of what a window tells beyond the item", judge)


def are_flat(*parts: str) -> Control:
    """Return the control that losses on prompts as in training are flat at the end of training.

    Args:
        parts: as those of `of_parts`.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        flat = [learned.flat(f"loss.{in_training(part)}", learned.SECOND_HALF, part=part) for part in parts]
        return [condition for control in flat for condition in control.judge(directory)]

    return Control("the loss on prompts as in training is flat at the end of training", judge)


def share_of_window(rows: list[Row], part: str) -> Estimate:
    """Return (AUC - that from the item alone) / (that from a window - that from the item alone), Bayes-optimal both."""
    model, item, window = (metric(rows, answers=name) for name in (in_training(part), "bayes_item", BEST))
    return combine(lambda a, low, high: (a - low) / (high - low), model, item, window)


def _words(part: str, targets: float, where: Mapping[str, str | float]) -> str:
    values = [each if isinstance(each, str) else f"{each:g}" for each in where.values()]
    return ", ".join([*values, LABELS.get(part, part.replace("_", " ")), f"k = {targets:g}"])
