"""Claims on remedies for prompts of many targets, and on what they remedy [DTI, section 5.4], and their judges."""

from collections.abc import Callable, Mapping

from analysis.figures.cited import Cited, Work, own, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Table
from analysis.tables.select import Row, rows_where, table
from experiments.clicks.dti.drawing.controls import of_parts
from experiments.clicks.dti.drawing.measures import BEST, LABELS, NEAR, SLIDING, STREAMING, by_targets, metric, relative
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

Judge = Callable[[RunDirectory], list[Condition]]
Wording = Callable[[str], str]  # what is claimed, without a full stop -> the statement
Controls = Callable[..., tuple[Control, ...]]  # parts of the sweep -> what must hold of them before a claim is judged
Citing = Callable[[Work, str, str], Cited]


def claims_of_remedies(statement: Wording, controls: Controls = of_parts) -> tuple[Claim, ...]:
    """Return the source's claims on what each remedy alone does, with one slope and one weight of the reset, which are
    this lab's.

    Args:
        statement: makes a statement of what is claimed.
        controls: the controls of a claim that compares these parts; by default that they have learned, and to the end.
    """
    return (
        Claim(
            statement("[SUM] without a position, with ALiBi, alone helps"),
            stronger(Work.DTI, "section 5.4 and figure 3", "addressing the positional bias overfitting alone"),
            "AUC on sliding windows above that of DTI-",
            better("alibi", "naive"),
            controls=controls("alibi", "naive"),
        ),
        Claim(
            statement("Hidden-state reset alone helps"),
            stronger(Work.DTI, "section 5.4 and figure 3", "both issues affect the performance"),
            "AUC on sliding windows above that of DTI-",
            better("reset", "naive"),
            controls=controls("reset", "naive"),
        ),
        Claim(
            statement("Positions matter more than leakage"),
            stronger(Work.DTI, "section 5.4", "much more prone to positional bias overfitting"),
            "the remedy of positions alone raises AUC on sliding windows above that of DTI-, and closes more of DTI-'s "
            "gap between prompts as in training and sliding windows than hidden-state reset alone",
            _positions_matter_more,
            controls=controls("alibi", "reset", "naive"),
        ),
    )


def claims_of_causes(statement: Wording) -> tuple[Claim, ...]:
    """Return this lab's claims on what the gap of DTI- is made of."""
    return claim_of_places(statement), claim_of_states(statement)


def claim_of_places(statement: Wording) -> Claim:
    """Return the claim that a part of the gap is due to the places in the prompt that [SUM]s take up."""
    return Claim(
        statement("Places that [SUM]s take up are a part of the gap"),
        own("derived here from DTI, section 4.2"),
        "the gap is smaller where [SUM]s are not counted as positions, and nothing else is changed",
        closes_more("no_id", "naive"),
        controls=of_parts("no_id", "naive"),
    )


def claim_of_states(statement: Wording) -> Claim:
    """Return the claim that a part of the gap is due to states that have seen more than a window."""
    return Claim(
        statement("States that have seen older interactions are a part of the gap"),
        own("derived here from DTI, section 4.1"),
        "[SUM]s not counted: the gap is smaller where states are drawn back to what an interaction is by itself",
        closes_more("own", "no_id"),
        controls=of_parts("own", "no_id"),
    )


def when_converged(words: str) -> str:
    """Return the statement about models whose losses are flat at the end of training, which its controls ask for."""
    return f"Trained until it has converged, {inside(words)}."


def inside(words: str) -> str:
    """Return the words of a sentence as they are written inside another one; "DTI" and "DTI's" stay as they are."""
    first = words.split(" ")[0].split("'")[0]
    return words if first.rstrip("-").isupper() and len(first) > 1 else words[0].lower() + words[1:]


def better(part: str, other: str) -> Judge:
    """Return a judge of whether the AUC of `part` on sliding windows is above that of `other`, for each of its numbers
    of targets."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        numbers = by_targets(rows_where(rows, {"part": part}))
        return [
            above(f"{LABELS[part]} - {LABELS[other]}{_targets(k, numbers)}", auc - metric(rows, part=other, targets=k))
            for k, auc in numbers.items()
        ]

    return judge


def near(part: str) -> Judge:
    """Return a judge of whether a part's AUC is at most NEAR below the sliding window's, relative to it, for each of
    its numbers of targets."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        numbers, reference = by_targets(rows_where(rows, {"part": part})), metric(rows, part=SLIDING)
        return [
            above(
                f"AUC of {LABELS[part]}{_targets(k, numbers)} / that of the sliding window - 1",
                relative(auc, reference),
                -NEAR,
            )
            for k, auc in numbers.items()
        ]

    return judge


def beside(directory: RunDirectory, part: str, other: str) -> Estimate:
    """Return AUC of a part on sliding windows / that of another - 1."""
    rows = table(directory, Table.CLICKS)
    return relative(*(metric(rows, part=each) for each in (part, other)))


def closes_more(part: str, other: str) -> Judge:
    """Return a judge of whether the gap of `part` is smaller than that of `other`."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        closed = _gap(rows, other) - _gap(rows, part)
        return [above(f"gap, {LABELS[other]} - {LABELS[part]}", closed)]

    return judge


def has_gap(part: str) -> Judge:
    """Return a judge of whether a part is better on prompts as in training than on sliding windows."""

    def judge(directory: RunDirectory) -> list[Condition]:
        return [above(f"gap of {LABELS[part]}", _gap(table(directory, Table.CLICKS), part))]

    return judge


def leaks(part: str) -> Judge:
    """Return a judge of whether a part is better on its prompts than the best answer from a window, for each of its
    numbers of targets: a certificate of leakage, which needs no other model."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, Table.CLICKS), {"part": part})
        trained, best = (by_targets(rows, answers=name) for name in (STREAMING, BEST))
        return [
            above(
                f"AUC of {LABELS[part]}{_targets(k, trained)} on prompts as in training - of Bayes from a window",
                auc - best[k],
            )
            for k, auc in trained.items()
        ]

    return judge


def _positions_matter_more(directory: RunDirectory) -> list[Condition]:
    """Judge the source's comparison, which looks at gaps, too.

    AUC with the remedy of positions is also above that with the reset where the reset does harm; so the gap that each
    remedy closes is compared, and the remedy of positions must help.
    """
    return better("alibi", "naive")(directory) + closes_more("alibi", "reset")(directory)


def _targets(k: float, numbers: Mapping[float, Estimate]) -> str:
    """Return words for k targets where there are several numbers of them, for a condition's name."""
    return f" with {k:g} targets" if len(numbers) > 1 else ""


def _gap(rows: list[Row], part: str) -> Estimate:
    """Return AUC on prompts as in training minus that on sliding windows, of the same model."""
    return metric(rows, Clicks.GAP_AUC, STREAMING, part=part)
