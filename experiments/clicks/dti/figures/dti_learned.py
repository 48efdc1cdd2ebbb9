"""Positions have learned vectors: what do prompts of many targets cost then, and which remedy helps [DTI]?

The source argues that positions bias answers, absolute and rotary ones (section 4.2). With absolute ones targets of a
packed prompt stand where a sliding window has none, so most of what a decoder learns of positions is of no use there.
"""

from analysis.figures.cited import own
from analysis.figures.claim import Claim
from experiments.clicks.dti.drawing.along import LINES_AND_ENDS, draw_by_targets_and_time
from experiments.clicks.dti.drawing.beside_sliding import claim_of_leak, claim_of_solutions, claims_beside_sliding
from experiments.clicks.dti.drawing.controls import of_parts
from experiments.clicks.dti.drawing.remedies import claims_of_causes, claims_of_remedies, has_gap, inside

CAPTION = f"Learned positions, in a small world. {LINES_AND_ENDS}"
NEEDS_POINTS = True
draw = draw_by_targets_and_time


def _statement(words: str) -> str:
    return f"Trained with learned positions until it has converged, {inside(words)}."


CLAIMS = (
    *claims_beside_sliding(_statement),
    claim_of_solutions(_statement),
    claim_of_leak(_statement),
    *claims_of_remedies(_statement),
    *claims_of_causes(_statement),
    Claim(
        _statement("Positions alone make a gap: a split window, which sees nothing from before its window, has one"),
        own("derived here from DTI, section 4.2, and from the masks, which isolate targets"),
        "prompts of 50 targets: AUC on prompts as in training is above that of the same model on sliding windows",
        has_gap("split"),
        controls=of_parts("split"),
    ),
)
