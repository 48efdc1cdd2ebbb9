"""Ways of fine-tuning a language model on a real log beside sliding windows: the figure of `dti_log`, other claims."""

from experiments.clicks.click_log.figures import dti_log
from experiments.clicks.dti_language import results

CAPTION = (
    "A language model, fine-tuned by low-rank factors on about as many tokens each way. By the number of targets of a "
    "training prompt: AUC on sliding windows of test targets; lines: the item's mean, a logistic regression on the "
    "item and the share of clicks before it, and boosted trees on the same. Second: AUC minus that of sliding windows, "
    "on the same users; bars are two standard errors over users and seeds. Third: AUC on prompts as in training minus "
    "that on sliding windows, of the same model. Right: milliseconds of the processor that a training target takes."
)
NEEDS_POINTS = True
CLAIMS = results.WAYS
draw = dti_log.draw
