"""Remedies for prompts of many targets, and masks that need no remedy [DTI]."""

from collections.abc import Callable

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, above
from analysis.figures.measures import mean_over_seeds
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.dti.drawing.measures import LABELS, NEAR, SLIDING, metric, relative
from experiments.dti.drawing.parts import draw_parts
from lab.runs.directory import RunDirectory

CAPTION = (
    "AUC on sliding windows (filled) and on prompts as in training (open), mean over seeds; bars are two standard "
    "errors. One panel per kind of positions. All but the first row are trained on prompts of many targets; the dashed "
    "line is the first row, trained on sliding windows. With a local mask and a split window a target is answered from "
    "its window alone."
)
NEEDS_POINTS = True
ORDER = ("sliding", "naive", "no_id", "alibi", "literal", "reset", "dti", "reset_last", "reset_train", "own", "local",
         "split", "full")  # fmt: skip


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.CLICKS)
    kinds = distinct(rows, "positions")
    figure, axes = style.panels(1, len(kinds), width=6.5 * len(kinds), height=4.2)
    for panel, kind in zip(axes[0], kinds, strict=True):
        of_kind = rows_where(rows, {"positions": kind})
        parts = [part for part in ORDER if part in distinct(of_kind, "part")]
        draw_parts(panel, of_kind, parts, parts)
        sliding, _ = mean_over_seeds(rows_where(of_kind, {"part": SLIDING, Clicks.ANSWERS: SLIDING}), Clicks.AUC)
        panel.axvline(sliding, color="#555555", linestyle="--")
        panel.set(title=f"positions: {kind}")
    style.legend(*axes[0])
    return figure


def _auc(rows: list[Row], part: str, positions: str) -> Estimate:
    return metric(rows, part=part, positions=positions)


def better(part: str, other: str, margin: float | None = None) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the AUC of `part` is above that of `other`, for every kind of positions.

    Args:
        margin: a relative difference by which it may be lower; None: it must be higher.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows, conditions = table(directory, Table.CLICKS), []
        for kind in distinct(rows, "positions"):
            number, reference = _auc(rows, part, kind), _auc(rows, other, kind)
            name = f"{kind}: {LABELS[part]}"
            conditions += [
                above(f"{name} - {LABELS[other]}", number - reference)
                if margin is None
                else above(f"{name} / {LABELS[other]} - 1", relative(number, reference), -margin)
            ]
        return conditions

    return judge


def judge_positions_matter_more(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [
        above(f"{kind}: gain by positions - by reset", _auc(rows, "alibi", kind) - _auc(rows, "reset", kind))
        for kind in distinct(rows, "positions")
    ]


CLAIMS = (
    *(
        Claim(
            f"{what} alone helps.",
            "DTI",
            "AUC on sliding windows above that of DTI-, for every kind of positions",
            better(part, "naive"),
        )
        for part, what in (("alibi", "[SUM] without a position, with ALiBi,"), ("reset", "Hidden-state reset"))
    ),
    Claim(
        "Positions matter more than leakage.",
        "DTI",
        "AUC with the remedy of positions alone above that with hidden-state reset alone, for every kind of positions",
        judge_positions_matter_more,
    ),
    *(
        Claim(
            f"{LABELS[part][0].upper()}{LABELS[part][1:]}: as good as the sliding window.",
            "this lab",
            "AUC on sliding windows at most .2% below that of the sliding window, for every kind of positions",
            better(part, "sliding", NEAR),
        )
        for part in ("local", "split", "own")
    ),
)
