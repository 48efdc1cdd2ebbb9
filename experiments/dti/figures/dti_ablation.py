"""Remedies for prompts of many targets, and masks that need no remedy [DTI]."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.measures import mean_over_seeds
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import distinct, rows_where, table
from experiments.dti.drawing.beside_sliding import claim_of_leak
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.measures import LABELS, SLIDING
from experiments.dti.drawing.parts import draw_parts
from experiments.dti.drawing.remedies import claims_of_causes, claims_of_remedies, near
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


def _of_kind(kind: str) -> tuple[Claim, ...]:
    """Return the claims about one kind of positions; each is judged where the models that it compares have learned."""

    def statement(words: str) -> str:
        return f"{words} with {KINDS[kind]} positions."

    return (
        *claims_of_remedies(statement, positions=kind),
        claim_of_leak(statement, positions=kind),
        *claims_of_causes(statement, positions=kind),
        *(
            Claim(
                statement(f"{LABELS[part][0].upper()}{LABELS[part][1:]}: as good as the sliding window"),
                own("derived here from the masks, which isolate targets"),
                "AUC on sliding windows at most .2% below that of the sliding window",
                near(part, positions=kind),
                controls=of_parts(part, SLIDING, positions=kind),
            )
            for part in ("local", "split", "own")
        ),
    )


KINDS = {"rope": "rotary", "learned": "learned"}
CLAIMS = (*_of_kind("rope"), *_of_kind("learned"))
