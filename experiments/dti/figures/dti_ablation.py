"""Remedies for prompts of many targets, and masks that need no remedy [DTI]."""

from collections.abc import Callable

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above
from analysis.figures.measures import mean_over_seeds
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.measures import LABELS, NEAR, SLIDING, STREAMING, metric, relative
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


def _gap(rows: list[Row], part: str, positions: str) -> Estimate:
    """Return AUC on prompts as in training minus that on sliding windows, of the same model."""
    return metric(rows, Clicks.GAP_AUC, STREAMING, part=part, positions=positions)


def better(part: str, other: str, kind: str, margin: float | None = None) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the AUC of `part` is above that of `other`, with one kind of positions.

    Args:
        margin: a relative difference by which it may be lower; None: it must be higher.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        number, reference = _auc(rows, part, kind), _auc(rows, other, kind)
        name = f"{kind}: {LABELS[part]}"
        if margin is None:
            return [above(f"{name} - {LABELS[other]}", number - reference)]
        return [above(f"{name} / {LABELS[other]} - 1", relative(number, reference), -margin)]

    return judge


def closes_more(part: str, other: str, kind: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the gap of `part` is smaller than that of `other`, with one kind of positions."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        closed = _gap(rows, other, kind) - _gap(rows, part, kind)
        return [above(f"{kind}: gap, {LABELS[other]} - {LABELS[part]}", closed)]

    return judge


def leaks(part: str, kind: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether a part is better on its prompts than the best answer from a window, with one kind of
    positions: a certificate of leakage, which needs no other model."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        model, best = (metric(rows, answers=name, part=part, positions=kind) for name in (STREAMING, "bayes_window"))
        return [above(f"{kind}: {LABELS[part]}, AUC as trained - Bayes from a window", model - best)]

    return judge


def positions_matter_more(kind: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of the source's comparison, which looks at gaps, too.

    AUC with the remedy of positions is also above that with the reset where the reset does harm; so the gap that each
    remedy closes is compared, and the remedy of positions must help.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        return better("alibi", "naive", kind)(directory) + closes_more("alibi", "reset", kind)(directory)

    return judge


def _of_kind(kind: str) -> tuple[Claim, ...]:
    """Return the claims about one kind of positions; each is judged where the models that it compares have learned."""
    where = f"with {KINDS[kind]} positions"

    def controls(*parts: str) -> tuple[Control, ...]:
        return of_parts(*parts, positions=kind)

    return (
        Claim(
            f"[SUM] without a position, with ALiBi, alone helps {where}.",
            said(Work.DTI, "section 5.4 and figure 3", "addressing the positional bias overfitting alone"),
            "AUC on sliding windows above that of DTI-",
            better("alibi", "naive", kind),
            controls=controls("alibi", "naive"),
        ),
        Claim(
            f"Hidden-state reset alone helps {where}.",
            said(Work.DTI, "section 5.4 and figure 3", "both issues affect the performance"),
            "AUC on sliding windows above that of DTI-",
            better("reset", "naive", kind),
            controls=controls("reset", "naive"),
        ),
        Claim(
            f"Positions matter more than leakage {where}.",
            said(Work.DTI, "section 5.4", "much more prone to positional bias overfitting"),
            "the remedy of positions alone raises AUC on sliding windows above that of DTI-, and closes more of DTI-'s "
            "gap between prompts as in training and sliding windows than hidden-state reset alone",
            positions_matter_more(kind),
            controls=controls("alibi", "reset", "naive"),
        ),
        Claim(
            f"DTI- learns to use interactions from before its window {where}.",
            own("derived here from DTI, section 4.1: what sees a window alone cannot be better than Bayes from it"),
            "AUC on prompts as in training is above that of the Bayes-optimal answer from a window",
            leaks("naive", kind),
            controls=controls("naive"),
        ),
        Claim(
            f"Places that [SUM]s take up are a part of the gap {where}.",
            own("derived here from DTI, section 4.2"),
            "the gap is smaller where [SUM]s are not counted as positions, and nothing else is changed",
            closes_more("no_id", "naive", kind),
            controls=controls("no_id", "naive"),
        ),
        Claim(
            f"States that have seen older interactions are a part of the gap {where}.",
            own("derived here from DTI, section 4.1"),
            "[SUM]s not counted: the gap is smaller where states are drawn back to what an interaction is by itself",
            closes_more("own", "no_id", kind),
            controls=controls("own", "no_id"),
        ),
        *(
            Claim(
                f"{LABELS[part][0].upper()}{LABELS[part][1:]}: as good as the sliding window {where}.",
                own("derived here from the masks, which isolate targets"),
                "AUC on sliding windows at most .2% below that of the sliding window",
                better(part, "sliding", kind, NEAR),
                controls=controls(part, "sliding"),
            )
            for part in ("local", "split", "own")
        ),
    )


KINDS = {"rope": "rotary", "learned": "learned"}
CLAIMS = (*_of_kind("rope"), *_of_kind("learned"))
