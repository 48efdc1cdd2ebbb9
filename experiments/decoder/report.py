"""The results of a trained decoder: its answers beside the Bayes-optimal ones."""

from analysis.report.blocks import number


def answer_of_run(summary: dict) -> str:
    """How often it is right, or its loss, with the most examples, and how far that is from optimal."""
    numbers = summary["numbers"]
    name, what = ("accuracy", "is right in") if "accuracy" in numbers else ("loss", "has a loss of")
    shown = f"With {numbers['examples']:g} examples the trained decoder {what} {number(numbers, name).text(4)}"
    shown += " of queries" if name == "accuracy" else ""
    if numbers.get(f"{name}_excess") is None:
        return f"{shown}."
    return f"{shown}; its distance from the Bayes-optimal answer is {number(numbers, f'{name}_excess').text(4)}."
