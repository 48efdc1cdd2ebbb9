"""The headline numbers of `click_log` as people read them."""

from analysis.figures.labels import Word

NAMES = {
    "sliding": "the decoder on sliding windows",
    "streaming": "the decoder on prompts of many targets",
    "rate": "the rate of clicks",
    "logistic": "logistic regression",
}

NUMBERS = {
    "gap.auc": Word("AUC, gap", "AUC on prompts of many targets minus that on sliding windows, same users."),
    "gap.log_loss": Word("log loss, gap", "Log loss on prompts of many targets minus that on sliding windows.", "nats"),
    "gap.f1": Word("F1, gap", "F1 on prompts of many targets minus that on sliding windows, same users."),
    "{answers}.auc": Word("AUC, {answers}", "Area under the ROC curve of {answers}, on the test targets."),
    "{answers}.log_loss": Word("log loss, {answers}", "Mean log loss of {answers}, on the test targets.", "nats"),
    "{answers}.f1": Word("F1, {answers}", "F1 of {answers}, on the test targets."),
}
