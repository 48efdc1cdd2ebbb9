"""Judges of remedies for prompts of many targets, and of what they remedy [DTI, section 5.4].

All take `where`, {column: value} of the points that are looked at, as {"positions": "rope"}.
"""

from collections.abc import Callable

from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import Row, table
from experiments.dti.drawing.measures import LABELS, STREAMING, metric, relative
from lab.runs.directory import RunDirectory

Judge = Callable[[RunDirectory], list[Condition]]


def better(part: str, other: str, margin: float | None = None, **where: str) -> Judge:
    """Return a judge of whether the AUC of `part` on sliding windows is above that of `other`.

    Args:
        margin: a relative difference by which it may be lower; None: it must be higher.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        number, reference = (metric(rows, part=each, **where) for each in (part, other))
        name = f"{_words(where)}{LABELS[part]}"
        if margin is None:
            return [above(f"{name} - {LABELS[other]}", number - reference)]
        return [above(f"{name} / {LABELS[other]} - 1", relative(number, reference), -margin)]

    return judge


def closes_more(part: str, other: str, **where: str) -> Judge:
    """Return a judge of whether the gap of `part` is smaller than that of `other`."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        closed = _gap(rows, other, where) - _gap(rows, part, where)
        return [above(f"{_words(where)}gap, {LABELS[other]} - {LABELS[part]}", closed)]

    return judge


def leaks(part: str, **where: str) -> Judge:
    """Return a judge of whether a part is better on its prompts than the best answer from a window: a certificate of
    leakage, which needs no other model."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        model, best = (metric(rows, answers=name, part=part, **where) for name in (STREAMING, "bayes_window"))
        return [above(f"{_words(where)}{LABELS[part]}, AUC as trained - Bayes from a window", model - best)]

    return judge


def positions_matter_more(**where: str) -> Judge:
    """Return a judge of the source's comparison, which looks at gaps, too.

    AUC with the remedy of positions is also above that with the reset where the reset does harm; so the gap that each
    remedy closes is compared, and the remedy of positions must help.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        helps, closes = better("alibi", "naive", None, **where), closes_more("alibi", "reset", **where)
        return helps(directory) + closes(directory)

    return judge


def _gap(rows: list[Row], part: str, where: dict[str, str]) -> Estimate:
    """Return AUC on prompts as in training minus that on sliding windows, of the same model."""
    return metric(rows, Clicks.GAP_AUC, STREAMING, part=part, **where)


def _words(where: dict[str, str]) -> str:
    return "".join(f"{value}: " for value in where.values())
