"""The headline numbers of `deep_thinking` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "accuracy.in_context": Word(
        "accuracy, in context", "Share of test queries that plain in-context learning answers right."
    ),
    "gain.validated": Word(
        "gain, validated", "Gain in accuracy with one number of iterations, chosen on validation episodes."
    ),
    "gain.best_common": Word(
        "gain, best common", "Gain in accuracy with one number of iterations, the best on the test itself."
    ),
    "gain.best_per_task": Word(
        "gain, best per task", "Gain in accuracy with the best number for each task, on the most queries that choose."
    ),
    "gain.fresh": Word("gain, fresh", "Gain in accuracy with that number for each task, on its other queries."),
    "eta": Word("eta", "The rate at which these gains are."),
    "beta": Word("beta", "The momentum at which these gains are."),
    "scored": Word("queries that choose", "The queries of a task that choose its best number of iterations."),
    "gain.again": Word("gain, read again", "Gain in accuracy of a control that reads the context a second time."),
    "gain.zero_shot": Word(
        "gain, zero-shot",
        "Accuracy without examples minus that of plain in-context learning.",
    ),
    "gain.twice": Word("gain, shown twice", "Gain in accuracy of a control whose context has every example twice."),
}
