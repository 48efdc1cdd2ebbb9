"""The results of in-context learning against fine-tuning."""

from analysis.report.measured import claimed, number
from analysis.report.sentences import away, over_points, sentence


def answer_of_run(summary: dict) -> str:
    """Return the accuracies, and Rec2FTP beside what in-context learning gets right anyway."""
    accuracies = [number(summary, f"accuracy.{name}") for name in ("zero_shot", "fine_tuned", "in_context")]
    if None in accuracies:
        return ""
    zero_shot, fine_tuned, in_context = (value.text() for value in accuracies if value)
    first = (
        f"the decoder is right in {zero_shot} of queries zero-shot, {fine_tuned} after one epoch of fine-tuning and "
        f"{in_context} in context"
    )
    recovered, anyway = number(summary, "rec2ftp.fine_tuned"), number(summary, "rec2ftp.per_episode")
    second = ""
    if recovered and anyway:
        paired = [*claimed(summary, "lift over in-context accuracy per episode").values()]
        lift = paired[0] if paired else recovered - anyway
        second = (
            f"of what fine-tuning puts right, in-context learning gets {recovered.text()} right, "
            f"{away(lift, 'what it gets right anyway')}"
        )
    elif not recovered:
        second = "fine-tuning puts no query right, so there is no Rec2FTP"
    return sentence(first, second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the ranges over the points of Rec2FTP and of the accuracy in context."""
    ranges = [
        over_points(summary, "rec2ftp.fine_tuned", "the share of what fine-tuning puts right that is right in context"),
        over_points(summary, "accuracy.in_context", "the accuracy in context"),
    ]
    return sentence(*ranges, summary=summary)
