"""After few steps of training with learned positions: what do prompts of many targets cost, and what helps [DTI]?"""

from experiments.clicks.dti.drawing.along import LINES_AND_ENDS, draw_by_targets_and_time
from experiments.clicks.dti.results.schemes import EARLY

CAPTION = f"Learned positions and few steps, in a small world. {LINES_AND_ENDS}"
NEEDS_POINTS = True
draw = draw_by_targets_and_time
CLAIMS = EARLY
