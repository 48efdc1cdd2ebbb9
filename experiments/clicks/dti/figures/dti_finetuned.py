"""Fine-tuning a decoder of next clicks on the clicks of few users, on windows or on prompts of many targets [DTI]."""

from experiments.clicks.dti.drawing.tuned import (
    draw_tuned,
)
from experiments.clicks.dti.results.tuned import FINETUNED

CAPTION = (
    "A decoder that has learned to predict next clicks in another world is fine-tuned on the clicks of few users. AUC "
    "on sliding windows, one row per way of fine-tuning. Small: every number of steps, on users that choose among "
    "them, mean over seeds. Large: the test users, each seed with the number of steps that is best on its own users "
    "that choose, mean with bars of two standard errors; beside it, how many seeds have chosen each number."
)
NEEDS_POINTS = True
draw = draw_tuned
CLAIMS = FINETUNED
