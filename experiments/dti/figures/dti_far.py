"""Prompts of many targets where a click depends on an item far back: a window tells of few interactions [DTI].

Of the n interactions of a window only n - lag are seen with the item that each depends on, so what is older is worth
more than elsewhere, and what is learned from it is of no use on sliding windows.
"""

from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim
from experiments.dti.drawing.along import draw_by_targets_and_time
from experiments.dti.drawing.beside_sliding import claim_of_leak, claims_beside_sliding
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.remedies import better, claims_of_remedies, inside

CAPTION = (
    "A click depends on the item 6 interactions before. Along the training: Bayes-optimal AUC from a window minus AUC "
    "on sliding windows, on the same users, mean over seeds. Left: against the targets that a model has seen. Middle: "
    "against the seconds of the processor that this took, of all threads. Right: AUC at the end minus the "
    "Bayes-optimal one from a window, within each seed: on sliding windows (filled) and on prompts as in training "
    "(open), bars are two standard errors."
)
NEEDS_POINTS = True
draw = draw_by_targets_and_time


def _statement(words: str) -> str:
    return f"Where a click depends on an item far back, {inside(words)}."


CLAIMS = (
    *claims_beside_sliding(_statement),
    Claim(
        _statement("DTI is better than DTI-"),
        said(Work.DTI, "section 5.2 and table 1", "the proposed solutions for the two bottlenecks are effective"),
        "prompts of 50 targets: AUC on sliding windows is above that of DTI-",
        better("dti", "naive"),
        controls=of_parts("dti", "naive"),
    ),
    claim_of_leak(_statement),
    *claims_of_remedies(_statement),
)
