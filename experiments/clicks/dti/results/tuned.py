"""Claims on decoders that are fine-tuned with settings chosen on other users: their steps, or those of `dti_fair`."""

import operator
from collections.abc import Callable

from analysis.figures.cited import Work, own, said
from analysis.results.column import Column
from analysis.results.declared import claim
from analysis.results.quantity import Every, Quantity
from experiments.clicks.dti.results import SLIDING, auc, better, closes_more, f1, log_loss, near, of
from experiments.clicks.dti.results.chosen import chosen_number, controls_of_finetuned, controls_of_tuned
from experiments.clicks.dti.results.schemes import DECREASES, KEEPS, MASKS, NIL


def sharper(change: Callable[[Column], Quantity]) -> Every:
    """Return the bounds of log loss and F1 that are worse than the sliding window's, and by larger shares than AUC.

    Args:
        change: a column -> its number of DTI- / that of the sliding window - 1.
    """
    lost_auc, lost_f1 = (change(column).map("loss of {}", operator.neg) for column in (auc, f1))
    risen = change(log_loss)
    return (risen > 0) & (risen - lost_auc > 0) & (lost_f1 > 0) & (lost_f1 - lost_auc > 0)


CHANGED = "28 November 2026: each seed has a number of steps of its own; before, half of the seeds chose one for all"
CHOSEN = "with the number of steps chosen for each seed on other users, as early stopping does"
FINETUNED = (
    claim(
        "Fine-tuned from a decoder of next clicks, DTI- loses more of log loss and F1 than of AUC.",
        said(Work.DTI, "section 5.2", "a sharper degradation in both Log Loss and F1 Score"),
        sharper(lambda column: chosen_number(column, "naive") / chosen_number(column, SLIDING) - 1),
        CHOSEN,
        controls=controls_of_finetuned("naive", SLIDING),
        changed=CHANGED,
    ),
    claim(
        "Within 1,000 steps a decoder of next clicks of another world is a better start than an untrained one.",
        own('derived here from DTI, "implementation details": a language model is fine-tuned'),
        chosen_number(auc, "naive") - chosen_number(auc, "untrained") > 0,
        CHOSEN,
        controls=controls_of_finetuned("naive"),
        changed=CHANGED,
    ),
)
TUNED = (
    claim(
        "Fine-tuned with settings chosen for each, DTI- is below the sliding window.",
        said(Work.DTI, *DECREASES),
        of(auc, "naive") - of(auc, SLIDING) < 0,
        controls=controls_of_tuned("naive", SLIDING),
    ),
    claim(
        "Fine-tuned with settings chosen for each, DTI is as good as the sliding window.",
        said(Work.DTI, *KEEPS),
        near("dti"),
        controls=controls_of_tuned("dti", SLIDING),
    ),
    claim(
        "Fine-tuned with settings chosen for each, the split window is as good as the sliding window.",
        MASKS,
        near("split"),
        controls=controls_of_tuned("split", SLIDING),
    ),
    claim(
        "Fine-tuned with settings chosen for each, DTI is better than DTI-.",
        said(Work.DTI, "section 5.2 and table 1", "the proposed solutions for the two bottlenecks are effective"),
        better("dti", "naive"),
        controls=controls_of_tuned("dti", "naive"),
        **NIL,
    ),
    claim(
        "Fine-tuned with settings chosen for each, DTI's remedies make the gap of training and test smaller.",
        said(Work.DTI, "abstract", "to effectively tackle each"),
        closes_more("dti", "naive"),
        controls=controls_of_tuned("dti", "naive"),
    ),
)
