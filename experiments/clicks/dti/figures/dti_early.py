"""After few steps of training with learned positions: what do prompts of many targets cost, and what helps [DTI]?

How soon a decoder learns is what is asked here, so losses need not be flat: the claims name the few steps, of which the
source, whose models are trained to their end, says nothing. What
is left when they are flat is asked by `dti_learned`.
"""

from analysis.figures.cited import stronger
from analysis.figures.claim import Control
from experiments.clicks.dti.drawing.along import LINES_AND_ENDS, draw_by_targets_and_time
from experiments.clicks.dti.drawing.beside_sliding import claim_of_solutions, claims_beside_sliding
from experiments.clicks.dti.drawing.controls import HALF, use_history
from experiments.clicks.dti.drawing.measures import SLIDING
from experiments.clicks.dti.drawing.remedies import claims_of_remedies, inside

CAPTION = f"Learned positions and few steps, in a small world. {LINES_AND_ENDS}"
NEEDS_POINTS = True
draw = draw_by_targets_and_time


def _statement(words: str) -> str:
    return f"Trained with learned positions for few steps, {inside(words)}."


def _sliding_has_learned(*_parts: str) -> tuple[Control, ...]:
    """Return the control that so few steps are enough to learn from sliding windows, whatever a claim compares."""
    return (use_history(HALF, SLIDING),)


CLAIMS = (
    *claims_beside_sliding(_statement, stronger, controls=_sliding_has_learned),
    claim_of_solutions(_statement, controls=_sliding_has_learned),
    *claims_of_remedies(_statement, _sliding_has_learned),
)
