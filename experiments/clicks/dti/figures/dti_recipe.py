"""AdamW and Muon for click models: which leaves the plateau of the item alone sooner."""

from experiments.clicks.dti.figures import dti_long
from experiments.clicks.dti.results.history import RECIPE

CAPTION = (
    "Prompts of 50 targets, DTI-. Left: Bayes-optimal AUC from a window minus AUC on sliding windows, on the same "
    "users, against the targets that a model has seen, mean over seeds. Right: AUC at the end minus the Bayes-optimal "
    "one from a window, within each seed: on sliding windows (filled) and on prompts as in training (open), bars are "
    "two standard errors."
)
NEEDS_POINTS = True
draw = dti_long.draw
CLAIMS = RECIPE
