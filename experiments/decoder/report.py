"""The results of a trained decoder: its answers beside the Bayes-optimal ones."""

from analysis.report.blocks import number


def answer_of_run(summary: dict) -> str:
    """Return one sentence with the accuracy, or the loss, after the most examples and its distance from the optimum."""
    numbers = summary["numbers"]
    name, what = ("accuracy", "is right in") if "accuracy" in numbers else ("loss", "has a loss of")
    sentence = f"With {numbers['examples']:g} examples the trained decoder {what} {number(numbers, name).text(4)}"
    sentence += " of queries" if name == "accuracy" else ""
    if numbers.get(f"{name}_excess") is None:
        return f"{sentence}."
    return f"{sentence}; its distance from the Bayes-optimal answer is {number(numbers, f'{name}_excess').text(4)}."
