"""The results of reading the context again."""

from analysis.report.blocks import number


def answer_of_run(summary: dict) -> str:
    """What it gains where the number of iterations is chosen on other tasks, and by the source's protocol."""
    numbers = summary["numbers"]

    def shown(name: str) -> str:
        return number(numbers, f"gain.{name}").text(4)

    return (
        f"Reading the context again changes an accuracy of {number(numbers, 'accuracy.in_context').text(4)} by "
        f"{shown('validated')} if the number of iterations is chosen on other tasks. Chosen for each task on the "
        f"queries that are scored it gains {shown('best_per_task')}; on fresh queries of these tasks {shown('fresh')}."
    )
