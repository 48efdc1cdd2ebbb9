"""The headline numbers of `icl_vs_finetune` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "accuracy.zero_shot": Word("accuracy, zero-shot", "Share of queries answered right without examples."),
    "accuracy.fine_tuned": Word("accuracy, fine-tuned", "Share of queries answered right after fine-tuning."),
    "accuracy.in_context": Word("accuracy, in context", "Share of queries answered right with examples in context."),
    "rec2ftp.fine_tuned": Word(
        "agreement", "Share of queries that fine-tuning corrects which in-context learning gets right too."
    ),
    "rec2ftp.per_episode": Word(
        "agreement by chance", "The same share if the queries of an episode were corrected independently."
    ),
    "rec2ftp.other": Word(
        "agreement, other examples", "The same share for fine-tuning on the examples of another episode."
    ),
}
