"""Training until it has converged: AUC below the Bayes-optimal answer, by targets seen and by processor time [DTI]."""

from experiments.clicks.dti.drawing.along import LINES_AND_ENDS, draw_by_targets_and_time

CAPTION = LINES_AND_ENDS
NEEDS_POINTS = True
draw = draw_by_targets_and_time
