"""Claims on what performance does with the number of targets in a prompt [DTI, section 5.2 and table 1]."""

import functools
from collections.abc import Callable, Sequence

from analysis.figures.cited import Work, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import negative
from analysis.tables.columns import Table
from analysis.tables.select import Row, rows_where, table
from experiments.clicks.dti.drawing.controls import of_parts
from experiments.clicks.dti.drawing.measures import SLIDING, STREAMING, by_targets, metric, relative, slope
from experiments.clicks.dti.drawing.remedies import Judge, Wording
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory


def claims_of_packing(statement: Wording, *plain: str) -> tuple[Claim, ...]:
    """Return the source's claims on DTI- and on how it changes with the number of targets.

    Args:
        statement: makes a statement of what is claimed.
        plain: the parts that are trained as DTI- is, each with one or several numbers of targets.
    """
    of_plain = of_parts(SLIDING, *plain)
    return (
        Claim(
            statement("With streaming prompts alone (DTI-) performance falls with the number of targets"),
            said(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
            "AUC on sliding windows against the logarithm of the number of targets, from 1 to the most: its slope is "
            "below 0, and so is the difference of the ends",
            _falls(plain),
            controls=of_plain,
        ),
        Claim(
            statement("Log loss and F1 get worse more sharply than AUC"),
            said(Work.DTI, "section 5.2", "a sharper degradation in both Log Loss and F1 Score"),
            "DTI- with the most targets, on sliding windows: log loss rises, and F1 falls, by a larger share of the "
            "sliding window's than AUC falls",
            _sharper(plain),
            controls=of_plain,
        ),
        Claim(
            statement("What is lost is a mismatch of training and test, which grows with the number of targets"),
            said(Work.DTI, "section 5.2", "a stronger discrepancy between training and inference"),
            "DTI-: AUC on prompts as in training minus AUC on sliding windows, of the same model: its slope against "
            "the logarithm of the number of targets is above 0, and so is its value at the most targets",
            _gap_grows(plain),
            controls=of_parts(*plain),
        ),
    )


def claims_of_losses(statement: Wording) -> tuple[Claim, ...]:
    """Return the source's claims on log loss and F1 of DTI, by the largest losses of its table 1.

    Args:
        statement: makes a statement of what is claimed.
    """
    return tuple(
        Claim(
            statement(f"The {word} of DTI is not worse than the sliding window's"),
            stronger(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
            f"for every number of targets {word} on sliding windows is at most {bound} that of "
            "the sliding window, the largest loss in table 1",
            _not_worse(name, word, judge),
            controls=of_parts(SLIDING, "dti"),
        )
        for name, word, bound, judge in (
            (Clicks.LOG_LOSS, "log loss", ".0043 above", functools.partial(below, high=0.0043)),
            (Clicks.F1, "F1", ".0059 below", functools.partial(above, low=-0.0059)),
        )
    )


def _falls(plain: Sequence[str]) -> Judge:
    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        aucs = by_targets(rows_where(rows, {"part": SLIDING})) | by_targets(_of(rows, plain))
        most = max(aucs)
        return [
            below("slope of AUC against log targets", slope(aucs)),
            below(f"AUC with {most:g} targets - with one", aucs[most] - aucs[1.0]),
        ]

    return judge


def _sharper(plain: Sequence[str]) -> Judge:
    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        of_plain = _of(rows, plain)
        most = max(by_targets(of_plain))

        def change(name: str) -> Estimate:
            return relative(metric(of_plain, name, targets=most), metric(rows, name, part=SLIDING))

        return sharper(change)

    return judge


def sharper(change: Callable[[str], Estimate]) -> list[Condition]:
    """Return the conditions that log loss and F1 are worse than the sliding window's, and by larger shares than AUC is.

    Args:
        change: column of clicks.csv -> a number of DTI- / that of the sliding window - 1.
    """
    lost = {name: negative(change(name)) for name in (Clicks.AUC, Clicks.F1)} | {
        Clicks.LOG_LOSS: change(Clicks.LOG_LOSS)
    }
    return [
        condition
        for name, word in ((Clicks.LOG_LOSS, "log loss"), (Clicks.F1, "F1"))
        for condition in (
            above(f"share by which {word} is worse", lost[name]),
            above(f"share by which {word} is worse - AUC", lost[name] - lost[Clicks.AUC]),
        )
    ]


def _gap_grows(plain: Sequence[str]) -> Judge:
    def judge(directory: RunDirectory) -> list[Condition]:
        gaps = by_targets(_of(table(directory, Table.CLICKS), plain), Clicks.GAP_AUC, STREAMING)
        return [
            above("slope of the gap against log targets", slope(gaps)),
            above(f"gap with {max(gaps):g} targets", gaps[max(gaps)]),
        ]

    return judge


def _not_worse(name: str, word: str, condition: Callable[[str, Estimate], Condition]) -> Judge:
    """Return a judge of DTI minus the sliding window, for every number of targets."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        reference = metric(rows, name, part=SLIDING)
        return [
            condition(f"{word} with {count:g} targets - of the sliding window", each - reference)
            for count, each in by_targets(rows_where(rows, {"part": "dti"}), name).items()
        ]

    return judge


def _of(rows: list[Row], parts: Sequence[str]) -> list[Row]:
    return [row for row in rows if row["part"] in parts]
