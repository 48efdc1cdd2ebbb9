"""Claims about momentum beside attention, judged over seeds by paired differences, for every kind of positions."""

from collections.abc import Callable

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, below, estimate
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.momentum_attention.columns import Common, Curves, Table
from lab.runs.directory import RunDirectory

SOURCE = "DAI"
NONE, AVERAGE, SHIFT = "none", "eta=0.5", "shift"
HALF, END = "half of the steps", "end"


def moments(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of both moments at which variants are compared: half of the steps, and the end."""
    last = max(numbers(rows, Common.STEP))
    return {HALF: rows_where(rows, {Common.STEP: last / 2}), END: rows_where(rows, {Common.STEP: last})}


def _loss(rows: list[Row], positions: str, variant: str) -> Estimate:
    return estimate(rows_where(rows, {Common.POSITIONS: positions, Curves.VARIANT: variant}), Curves.LOSS)


def lower(variant: str, other: str, *when: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the loss of `variant` is below that of `other`, for every kind of positions.

    Args:
        when: the moments at which they are compared, `HALF` or `END`.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CURVES)
        return [
            below(
                f"{variant} - {other}, positions {kind}, {moment}",
                _loss(moments(rows)[moment], kind, variant) - _loss(moments(rows)[moment], kind, other),
            )
            for moment in when
            for kind in distinct(rows, Common.POSITIONS)
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
