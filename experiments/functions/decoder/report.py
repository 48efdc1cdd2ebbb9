"""The results of a trained decoder: its answers beside the Bayes-optimal ones."""

from analysis.report.sentences import away, over_points, sentence
from analysis.report.values import number

NUMBERS = {"accuracy": "is right in {} of queries", "loss": "has a loss of {}"}


def answer_of_run(summary: dict) -> str:
    """Return the accuracy, or the loss, after the most examples, and its distance from the optimum."""
    for name, words in NUMBERS.items():
        if (value := number(summary, name)) is not None:
            excess, examples = number(summary, f"{name}_excess"), number(summary, "examples")
            context = f"with {examples.mean:g} examples" if examples else "with the most examples"
            first = f"{context} the trained decoder {words.format(value.text(4))}"
            second = f"its {name} is {away(excess, 'that of the Bayes-optimal answer')}" if excess else ""
            return sentence(first, second, summary=summary)
    return ""


def answer_of_points(summary: dict) -> str:
    """Return the range of the accuracy, or of the loss, over the points."""
    ranges = (over_points(summary, name, f"the trained decoder's {name} with the most examples") for name in NUMBERS)
    return sentence(next((each for each in ranges if each), ""), summary=summary)
