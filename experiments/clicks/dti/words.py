"""The headline numbers of `dti` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "auc": Word("AUC", "Area under the ROC curve on sliding windows of test users."),
    "log_loss": Word("log loss", "Mean log loss on sliding windows of test users.", "nats"),
    "f1": Word("F1", "F1 on sliding windows of test users."),
    "gap": Word("AUC, gap", "AUC on prompts of many targets minus that on sliding windows, same users."),
}
