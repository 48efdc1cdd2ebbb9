"""The results of in-context learning against fine-tuning."""

from analysis.report.blocks import number


def answer_of_run(summary: dict) -> str:
    """Return the accuracies, and Rec2FTP beside its null, as sentences."""
    numbers = summary["numbers"]

    def value(name: str) -> str:
        return number(numbers, name).text(3)

    return (
        f"The decoder is right in {value('accuracy.zero_shot')} of queries zero-shot, {value('accuracy.fine_tuned')} "
        f"after one epoch of fine-tuning and {value('accuracy.in_context')} in context. Of what fine-tuning puts "
        f"right, in-context learning gets {value('rec2ftp.fine_tuned')} right; {value('rec2ftp.per_episode')} would be "
        "right anyway."
    )
