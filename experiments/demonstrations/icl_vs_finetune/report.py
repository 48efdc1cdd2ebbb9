"""The results of in-context learning against fine-tuning."""

from analysis.report.transfer import answer_of_points as answer_of_points
from analysis.report.transfer import answer_of_transfer


def answer_of_run(summary: dict) -> str:
    """Return the accuracies, and Rec2FTP beside what in-context learning gets right anyway."""
    return answer_of_transfer(summary, "the decoder", "queries", "lift over in-context accuracy per episode")
