"""The answer of kinds that compare learning in context with fine-tuning on the same examples."""

from analysis.report.sentences import away, over_points, sentence, share
from analysis.report.values import claimed, number, setting


def answer_of_transfer(summary: dict, model: str, queries: str, lift: str, *further: str) -> str:
    """Return the accuracies, and Rec2FTP beside what in-context learning gets right anyway.

    Args:
        model: who answers, as the sentence calls it. queries: what is answered.
        lift: the name of the number, in the claims, by which Rec2FTP is above that null.
        further: sentences that follow.
    """
    accuracies = [number(summary, f"accuracy.{name}") for name in ("zero_shot", "fine_tuned", "in_context")]
    if None in accuracies:
        return ""
    zero_shot, fine_tuned, in_context = (share(value) for value in accuracies if value)
    epochs = setting(summary, "epochs")
    tuning = f"{epochs} epochs" if epochs not in ("", "1") else "one epoch"
    first = (
        f"{model} is right in {zero_shot} of the {queries} zero-shot, {fine_tuned} after {tuning} of fine-tuning and "
        f"{in_context} in context"
    )
    recovered, anyway = number(summary, "rec2ftp.fine_tuned"), number(summary, "rec2ftp.per_episode")
    second = ""
    if recovered and anyway:
        paired = [*claimed(summary, lift).values()]
        apart = paired[0] if paired else recovered - anyway
        second = (
            f"of what fine-tuning puts right, in-context learning gets {share(recovered)} right, "
            f"{away(apart, 'what it gets right anyway')}"
        )
    elif not recovered:
        second = f"fine-tuning puts none of the {queries} right, so there is no Rec2FTP"
    return sentence(first, second, *further, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the ranges over the points of Rec2FTP and of the accuracy in context."""
    ranges = [
        over_points(summary, "rec2ftp.fine_tuned", "the share of what fine-tuning puts right that is right in context"),
        over_points(summary, "accuracy.in_context", "the accuracy in context"),
    ]
    return sentence(*ranges, summary=summary)
