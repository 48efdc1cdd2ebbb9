"""The results of reading the context again."""

from analysis.report.blocks import number


def answer_of_run(summary: dict) -> str:
    """Return the gains with iterations chosen on other tasks and by the source's protocol, as two sentences."""
    numbers = summary["numbers"]

    def gain(name: str) -> str:
        return number(numbers, f"gain.{name}").text(4)

    return (
        f"Reading the context again changes an accuracy of {number(numbers, 'accuracy.in_context').text(4)} by "
        f"{gain('validated')} if the number of iterations is chosen on other tasks. Chosen for each task on the "
        f"queries that are scored it gains {gain('best_per_task')}; on fresh queries of these tasks {gain('fresh')}."
    )
