"""What is claimed about momentum beside attention, and the conditions under which it holds: over seeds, with paired
differences, in every kind of positions that was run."""

from collections.abc import Callable

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, below, estimate
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from lab.runs.directory import RunDirectory

SOURCE = "DAI"
NONE, AVERAGE, SHIFT = "none", "eta=0.5", "shift"
HALF, END = "half of the steps", "end"


def moments(rows: list[Row]) -> dict[str, list[Row]]:
    """The rows of both moments at which variants are compared."""
    last = max(numbers(rows, "step"))
    return {HALF: rows_where(rows, step=last / 2), END: rows_where(rows, step=last)}


def _loss(rows: list[Row], positions: str, variant: str) -> Estimate:
    return estimate(rows_where(rows, positions=positions, variant=variant), "loss")


def lower(variant: str, other: str, *at: str) -> Callable[[RunDirectory], list[Condition]]:
    """The loss of `variant` is below that of `other`, at these moments and with all positions."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, "curves")
        return [
            below(
                f"{variant} - {other}, positions {kind}, {moment}",
                _loss(moments(rows)[moment], kind, variant) - _loss(moments(rows)[moment], kind, other),
            )
            for moment in at
            for kind in distinct(rows, "positions")
        ]

    return judge


CLAIMS = (
    Claim(
        "Attention with momentum learns faster than attention alone.",
        SOURCE,
        "loss with eta = .5 below that without momentum at half of the steps, for every kind of positions",
        lower(AVERAGE, NONE, HALF),
    ),
    Claim(
        "Attention with momentum ends at a lower loss.",
        SOURCE,
        "loss with eta = .5 below that without momentum at the end, for every kind of positions",
        lower(AVERAGE, NONE, END),
    ),
    Claim(
        "What helps is the moving average, and not the previous token in it.",
        "this lab",
        "loss with eta = .5 below that with half of the previous token's value alone, at half of the steps and at the "
        "end, for every kind of positions",
        lower(AVERAGE, SHIFT, HALF, END),
    ),
)
