"""Claims about momentum beside attention, judged over seeds by paired differences, for every kind of positions.

They need a decoder that has learned at the end more than how often each symbol is there; those on the end need that
training was at its end, too.
"""

from collections.abc import Callable

from analysis.figures.cited import Work, own, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.learned import flat
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.duals.momentum_attention.columns import Common, Curves, Table
from lab.runs.directory import RunDirectory

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


def more_often_right(directory: RunDirectory) -> list[Condition]:
    rows = moments(table(directory, Table.CURVES))[END]
    accuracies = {
        (variant, kind): estimate(rows_where(rows, {Common.POSITIONS: kind, Curves.VARIANT: variant}), Curves.ACCURACY)
        for variant in (AVERAGE, NONE)
        for kind in distinct(rows, Common.POSITIONS)
    }
    return [
        above(f"accuracy, {AVERAGE} - {NONE}, positions {kind}", accuracies[AVERAGE, kind] - accuracies[NONE, kind])
        for kind in distinct(rows, Common.POSITIONS)
    ]


def learns_transitions(directory: RunDirectory) -> list[Condition]:
    """The better decoder counts, with momentum or without: the worse one may be what a claim is about."""
    rows = moments(table(directory, Table.CURVES))[END]
    conditions = []
    for kind in distinct(rows, Common.POSITIONS):
        better = combine(min, *(_loss(rows, kind, variant) for variant in (AVERAGE, NONE)))
        at_all = estimate(rows_where(rows, {Common.POSITIONS: kind, Curves.VARIANT: NONE}), Curves.FREQUENCIES)
        conditions.append(below(f"loss at the end - by frequencies of symbols, positions {kind}", better - at_all))
    return conditions


LEARNED = Control("a decoder learns more than the frequencies of symbols", learns_transitions)
CONTROLS = (LEARNED,)
CLAIMS = (
    Claim(
        statement="Attention with momentum learns faster than attention alone.",
        source=own("derived here from Dai et al., what momentum does for gradient descent"),
        criterion="loss with eta = .5 below that without momentum at half of the steps, for every kind of positions",
        judge=lower(AVERAGE, NONE, HALF),
    ),
    Claim(
        statement="Attention with momentum is the better model once both have learned.",
        source=stronger(Work.DAI, "momentum attention, table of accuracies (.547 against .519)"),
        criterion="loss with eta = .5 below that without momentum at the end, for every kind of positions; the source "
        "measures accuracies in context",
        judge=lower(AVERAGE, NONE, END),
        controls=(LEARNED, flat(Curves.LOSS, variant=NONE), flat(Curves.LOSS, variant=AVERAGE)),
    ),
    Claim(
        statement="What helps early is the moving average, and not the previous token in it.",
        source=own("derived here from Dai et al., momentum attention"),
        criterion="loss with eta = .5 below that with half of the previous token's value alone, at half of the steps, "
        "for every kind of positions",
        judge=lower(AVERAGE, SHIFT, HALF),
    ),
    Claim(
        statement="What helps in the end is the moving average, and not the previous token in it.",
        source=own("derived here from Dai et al., momentum attention"),
        criterion="loss with eta = .5 below that with half of the previous token's value alone, at the end, for every "
        "kind of positions",
        judge=lower(AVERAGE, SHIFT, END),
        controls=(LEARNED, flat(Curves.LOSS, variant=AVERAGE), flat(Curves.LOSS, variant=SHIFT)),
    ),
    Claim(
        statement="Attention with momentum is more often right once both have learned.",
        source=stronger(Work.DAI, "momentum attention, table of accuracies (.547 against .519)"),
        criterion="share of symbols predicted right with eta = .5 above that without momentum at the end, for every "
        "kind of positions",
        judge=more_often_right,
        controls=(LEARNED, flat(Curves.LOSS, variant=NONE), flat(Curves.LOSS, variant=AVERAGE)),
    ),
)
