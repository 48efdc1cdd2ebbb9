"""The results of `click_log`: measures of answers on the test targets. It has no claims."""

from experiments.clicks.tables import auc, f1, log_loss

HEADLINES = (auc, log_loss, f1)  # ANSWERER.COLUMN, and gap.COLUMN: on prompts of many targets minus on sliding windows
ANSWER = (
    "on sliding windows the decoder predicts the clicks of the test with an AUC of {sliding.auc}",
    "a logistic regression has {logistic.auc}",
    "on prompts of {model.targets} targets, as in training, the decoder's differs by {gap.auc}",
)
