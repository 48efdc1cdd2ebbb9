"""The gradient of trained decoders in a prompt of many targets, before and after their training [DTI]."""

from experiments.clicks.dti_reach import figure as dti_reach
from experiments.clicks.dti_reach.results import OF_TRAINED

CAPTION = (
    "Left: every theorem about every scheme and number of layers, for random weights, by the largest difference of "
    "logits in float64 (zero is drawn at 1e-17); circles: asserted to be equal, and left of the first line; diamonds: "
    "asserted to differ, and right of the second. Others: the share of each distance in the norm of the gradient of "
    "the last target's logit with respect to embeddings, for random weights, and, mean over seeds, for decoders before "
    "and after their training; the line is at the window n. White: exactly zero."
)
CLAIMS = OF_TRAINED
draw = dti_reach.draw
