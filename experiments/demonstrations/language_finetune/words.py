"""The headline numbers of `language_finetune` as people read them."""

from analysis.figures.labels import Word

NAMES = {"gpt_1_3b": "GPT 1.3B", "gpt_2_7b": "GPT 2.7B", "rec2ftp": "Rec2FTP", "zero_shot": "accuracy, zero-shot",
         "fine_tuned": "accuracy, fine-tuned", "in_context": "accuracy, in context"}  # fmt: skip

NUMBERS = {
    "accuracy.zero_shot": Word("accuracy, zero-shot", "Share of test rows answered right without demonstrations."),
    "accuracy.fine_tuned": Word("accuracy, fine-tuned", "Share of test rows answered right after fine-tuning."),
    "accuracy.in_context": Word("accuracy, in context", "Share of test rows answered right behind demonstrations."),
    "rec2ftp.fine_tuned": Word(
        "agreement", "Share of rows that fine-tuning corrects which in-context learning gets right too."
    ),
    "rec2ftp.per_episode": Word(
        "agreement by chance", "Share of rows that are wrong zero-shot which in-context learning gets right."
    ),
    "rec2ftp.other": Word("agreement, other rows", "The same agreement for fine-tuning on other demonstrations."),
    "sim_aou.fine_tuned": Word("SimAOU", "Cosine of the updates of the output of attention, mean over layers."),
    "sim_aou.other": Word("SimAOU, other rows", "The same cosine for fine-tuning on other demonstrations."),
    "sim_am.rise": Word(
        "rise of SimAM", "Similarity of attention maps in context to fine-tuned ones, minus that to zero-shot ones."
    ),
    "kendall.fine_tuned": Word("Kendall's tau", "Agreement of the orders in which demonstrations are attended to."),
    "printed.{model}.{quantity}": Word("{model}: {quantity}", "The number that Dai et al. print for {model}."),
}
