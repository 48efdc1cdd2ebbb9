"""The answer to how well a decoder learns functions in context: its error beside that of other predictors."""

from analysis.report.sentences import away, joined, over_points, sentence, signed
from analysis.report.values import Measured, claimed, number, setting
from lab.learners.roles import ROLES

SUBJECT, OPTIMAL = "decoder", "optimal"


def answer_of_run(summary: dict) -> str:
    """Return the decoder's error with about twice as many examples as inputs, beside the optimum or the best other."""
    counts = _counts(summary)
    if not counts:
        return ""
    count = _chosen(summary, counts)
    errors = _errors(summary, count)
    own = errors.pop(SUBJECT)
    noun = "of the loss of the answer 0"
    first = f"after {count} examples the trained decoder's error is {own.text()} {noun}"
    if errors:
        name = OPTIMAL if OPTIMAL in errors else min(errors, key=lambda each: errors[each].mean)
        label = "the Bayes-optimal answer's" if name == OPTIMAL else f"that of {_label(name)}, the best of the others"
        first += f", {away(own - errors[name], label)}"
    distance = number(summary, f"distance.{SUBJECT}.{count}")
    second = f"its answers are {distance.text()} of E f² from the exact Bayes answer, squared" if distance else ""
    return sentence(first, second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return what a curriculum changes, or the range of the decoder's error over the points."""
    curriculum = claimed(summary, "with the curriculum / without it - 1")
    if curriculum:
        changes = joined(f"{_what(name)} by {signed(each)}" for name, each in curriculum.items())
        first = f"relative to training on whole prompts, a curriculum changes {changes}"
        return sentence(first, summary=summary)
    counts = [set(_counts(point)) for point in summary["points"].values()]
    common = set.intersection(*counts)
    if not common:
        return ""
    count = _chosen(next(iter(summary["points"].values())), sorted(common))
    noun = f"the decoder's error after {count} examples, as a share of the loss of the answer 0,"
    best = over_points(summary, f"error.{OPTIMAL}.{count}", "the Bayes-optimal answer's")
    distance = over_points(summary, f"distance.{SUBJECT}.{count}", "its squared distance from the exact answer")
    return sentence(over_points(summary, f"error.{SUBJECT}.{count}", noun), best, distance, summary=summary)


def _what(name: str) -> str:
    """Return 'the loss after half of the steps' from the name of what a claim was judged by."""
    place, _, rest = name.partition(":")
    return f"the loss {place}" if rest else f"the {name.split(' with the curriculum')[0]}"


def _counts(summary: dict) -> list[int]:
    """Return the numbers of examples after which the decoder's error is known."""
    parts = [name.split(".") for name in summary["numbers"] if name.startswith(f"error.{SUBJECT}.")]
    return sorted(int(words[2]) for words in parts if len(words) == 3 and number(summary, ".".join(words)))


def _chosen(summary: dict, counts: list[int]) -> int:
    """Return twice the width of the inputs where the error after so many examples is known, or the most examples."""
    width = setting(summary, "task.input_dim")
    twice = 2 * int(width) if width.isdigit() else 0
    return twice if twice in counts else counts[-1]


def _errors(summary: dict, count: int) -> dict[str, Measured]:
    """Return {learner: its error} after so many examples."""
    names = [
        name.split(".")[1] for name in summary["numbers"] if name.startswith("error.") and name.endswith(f".{count}")
    ]
    return {name: value for name in names if (value := number(summary, f"error.{name}.{count}"))}


def _label(name: str) -> str:
    return ROLES[name].label if name in ROLES else name.replace("_", " ")
