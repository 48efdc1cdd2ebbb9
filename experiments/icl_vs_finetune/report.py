"""The results of in-context learning against fine-tuning."""

from analysis.report.blocks import number


def answer_of_run(summary: dict) -> str:
    """The accuracies, and Rec2FTP beside its null."""
    numbers = summary["numbers"]

    def shown(name: str) -> str:
        return number(numbers, name).text(3)

    return (
        f"The decoder is right in {shown('accuracy.zero_shot')} of queries zero-shot, {shown('accuracy.fine_tuned')} "
        f"after one epoch of fine-tuning and {shown('accuracy.in_context')} in context. Of what fine-tuning puts "
        f"right, in-context learning gets {shown('rec2ftp.fine_tuned')} right; {shown('rec2ftp.per_episode')} would be "
        "right anyway."
    )
