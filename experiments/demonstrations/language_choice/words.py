"""The headline numbers of `language_choice` as people read them."""

from analysis.figures.labels import Word

NAMES = {"effect": "Effect_D", "accuracy": "validation accuracy", "loss": "validation loss"}

NUMBERS = {
    "accuracy.random_set": Word("accuracy, random set", "Mean test accuracy with a random set of demonstrations."),
    "accuracy.best_set": Word("accuracy, best set", "Test accuracy with the set that is best on the test itself."),
    "accuracy.zero_shot": Word("accuracy, zero-shot", "Test accuracy without demonstrations."),
    "accuracy.{score}": Word(
        "accuracy, choice by {score}", "Test accuracy with the set that is best by {score}, on the most rows."
    ),
    "spearman.{score}": Word(
        "rank correlation, {score}", "Spearman correlation over sets of {score} with test accuracy."
    ),
}
