"""The headline numbers of `language_deep_thinking` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "accuracy.zero_shot": Word("accuracy, zero-shot", "Share of test rows that are answered right alone."),
    "accuracy.in_context": Word(
        "accuracy, in context", "Share of test rows that are answered right behind all demonstrations of a set."
    ),
    "chance": Word("chance", "Share of test rows that an answer at random gets right."),
    "examples": Word("demonstrations", "Demonstrations of a set."),
    "eta": Word("eta", "The rate at which these gains are."),
    "beta": Word("beta", "The momentum at which these gains are."),
    "gain.validated": Word(
        "gain, validated", "Gain in accuracy with the number of iterations chosen on validation rows of each set."
    ),
    "gain.best_test": Word(
        "gain, best on the test", "Gain in accuracy with the number of iterations that is best on the test rows."
    ),
    "gain.fresh": Word("gain, fresh", "Gain with the number that is best on one half of the rows, on the other half."),
    "gain.best_over_no_momentum": Word(
        "best, momentum - none", "Accuracy of the best number of iterations on the test, minus that without momentum."
    ),
    "gain.again": Word(
        "gain, read again", "Gain in accuracy of a control that reads the demonstrations a second time."
    ),
    "gain.twice": Word("gain, shown twice", "Gain in accuracy of a control that shows every demonstration twice."),
    "gain.zero_shot": Word(
        "gain, zero-shot", "Accuracy without demonstrations minus that of plain in-context learning."
    ),
}
