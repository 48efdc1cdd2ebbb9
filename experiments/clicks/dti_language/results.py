"""The results of `dti_language`: measures of answers on the test targets, and claims on ways of training by parts.

A part of a sweep is a way of training, as in `click_log.beside`; parts read about as many tokens.
"""

from analysis.figures.cited import own
from analysis.results.declared import claim
from experiments.clicks.click_log.beside import above_other, above_sliding, better
from experiments.clicks.tables import SLIDING, auc, f1, log_loss

HEADLINES = (auc, log_loss, f1)
ANSWER = (
    "on sliding windows the language model predicts the clicks of the test with an AUC of {sliding.auc}",
    "the item's mean has {item.auc}, and a logistic regression {logistic.auc}",
)


WAYS = (
    claim(
        "Fine-tuned on as many tokens, a language model that reads ten targets per prompt (DTI-) predicts better than "
        "on sliding windows.",
        own("derived here from the cost formula: it sees about five times as many targets"),
        above_sliding("naive") > 0,
        controls=better(SLIDING, "naive"),
    ),
    claim(
        "In a language model that was trained without windows, splitting the window over the layers costs more than "
        "the mismatch of prompts that it removes.",
        own("derived here: its first layers read single interactions"),
        above_other("split", "naive") < 0,
        controls=better("naive", "split"),
    ),
)
