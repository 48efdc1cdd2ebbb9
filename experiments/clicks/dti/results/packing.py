"""Claims on what performance does with the number of targets in a prompt [DTI, section 5.2 and table 1]."""

import operator
from collections.abc import Callable

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from analysis.results.column import Column
from analysis.results.declared import claim
from analysis.results.quantity import Every, Quantity
from experiments.clicks.dti.results import (
    SLIDING,
    as_trained,
    auc,
    bayes,
    better,
    by_targets,
    f1,
    gap,
    log_loss,
    near,
    of,
    slope,
)
from experiments.clicks.dti.results.history import of_parts

Wording = Callable[[str], str]  # what is claimed, without a full stop -> the statement


def claims_of_packing(statement: Wording, *plain: str) -> tuple[Claim, ...]:
    """Return the source's claims on DTI- and on how it changes with the number of targets.

    Args:
        statement: makes a statement of what is claimed.
        plain: the parts that are trained as DTI- is, each with one or several numbers of targets.
    """
    aucs, gaps = by_targets(auc, *plain, SLIDING), by_targets(gap, *plain)
    of_plain = of_parts(SLIDING, *plain)
    return (
        claim(
            statement("With streaming prompts alone (DTI-) performance falls with the number of targets"),
            said(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
            (slope(aucs) < 0) & (aucs.last() - aucs.first() < 0),
            "the sliding window has one target",
            controls=of_plain,
        ),
        claim(
            statement("Log loss and F1 get worse more sharply than AUC"),
            said(Work.DTI, "section 5.2", "a sharper degradation in both Log Loss and F1 Score"),
            sharper(lambda column: by_targets(column, *plain).last() / of(column, SLIDING) - 1),
            controls=of_plain,
        ),
        claim(
            statement("What is lost is a mismatch of training and test, which grows with the number of targets"),
            said(Work.DTI, "section 5.2", "a stronger discrepancy between training and inference"),
            (slope(gaps) > 0) & (gaps.last() > 0),
            "the gap is AUC on prompts as in training minus AUC on sliding windows, of the same model",
            controls=of_parts(*plain),
        ),
    )


def sharper(change: Callable[[Column], Quantity]) -> Every:
    """Return the bounds of log loss and F1 that are worse than the sliding window's, and by larger shares than AUC is.

    Args:
        change: a column -> its number of DTI- / that of the sliding window - 1.
    """
    lost_auc, lost_f1 = (change(column).map("loss of {}", operator.neg) for column in (auc, f1))
    risen = change(log_loss)
    return (risen > 0) & (risen - lost_auc > 0) & (lost_f1 > 0) & (lost_f1 - lost_auc > 0)


def claims_of_losses(statement: Wording) -> tuple[Claim, ...]:
    """Return the source's claims on log loss and F1 of DTI, by the largest losses of its table 1."""
    return tuple(
        claim(
            statement(f"The {column.label} of DTI is not worse than the sliding window's"),
            stronger(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
            bounds(by_targets(column, "dti") - of(column, SLIDING)),
            "on sliding windows; the bound is the largest loss in table 1",
            controls=of_parts(SLIDING, "dti"),
        )
        for column, bounds in ((log_loss, lambda change: change < 0.0043), (f1, lambda change: change > -0.0059))
    )


def leaks(part: str) -> Every:
    """Return the bound of answers to prompts as in training that are better than the best answer from a window: a
    certificate of leakage, which needs no other model."""
    return Every((by_targets(as_trained, part) - by_targets(bayes, part) > 0,))


def sentence(words: str) -> str:
    """Return what is claimed as a sentence of its own."""
    return f"{words}."


LEAK = own("derived here from DTI, section 4.1: what sees a window alone cannot be better than Bayes from it")
MASKS = own("derived here from the masks, which isolate targets")
KEEPS = (Work.DTI, "abstract and table 1", "without compromising CTR prediction performance")
SOLVES = (Work.DTI, "section 5.2 and table 1", "the proposed solutions for the two bottlenecks are effective")
CLAIMS = (
    *claims_of_packing(sentence, "naive"),
    claim(
        "DTI is as good as the sliding window.",
        stronger(*KEEPS),
        near("dti"),
        "on sliding windows; the largest loss in table 1 is .17%",
        controls=of_parts(SLIDING, "dti"),
    ),
    claim("DTI is better than DTI-.", stronger(*SOLVES), better("dti", "naive"), controls=of_parts("dti", "naive")),
    *claims_of_losses(sentence),
    claim(
        "DTI- learns to use interactions from before its window.",
        LEAK,
        leaks("naive"),
        controls=of_parts("naive"),
    ),
    claim(
        "The split window is as good as the sliding window.",
        MASKS,
        near("split"),
        "prompts of 50 targets",
        controls=of_parts("split", SLIDING),
    ),
)
