"""The answer to whether a decoder still learns functions from prompts that are drawn otherwise than in training."""

from analysis.report.sentences import away, over_points, sentence
from analysis.report.values import Measured, claimed, number

SAME = "same"
BEYOND = ("orthogonal", "repeated")  # queries of which the examples say nothing, or everything


def answer_of_run(summary: dict) -> str:
    """Return the error without a shift, and the shifts under which it is the most above that, and the least."""
    same = number(summary, f"error.{SAME}")
    if same is None:
        return ""
    first = f"on prompts as in training the decoder's error is {same.text()} of E f²"
    changes = _changes(summary, same)
    if changes:
        worst = max(changes, key=lambda shift: changes[shift].mean)
        unclear = sum(change.is_noise for change in changes.values())
        first += f", and under the worst of {len(changes)} shifts ({worst}) {away(changes[worst], 'that')}"
        rest = f"under {unclear} of the {len(changes)} no difference was measured" if unclear else ""
        return sentence(first, rest, summary=summary)
    return sentence(first, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the error without a shift."""
    return sentence(over_points(summary, f"error.{SAME}", "the error on prompts as in training"), summary=summary)


def _changes(summary: dict, same: Measured) -> dict[str, Measured]:
    """Return {shift: its error minus that without a shift}: paired within seeds where a claim has it."""
    paired = claimed(summary, ": error - error without a shift")
    if paired:
        return {name.split(":")[0].removesuffix(" 1"): each for name, each in paired.items()}
    names = [name.removeprefix("error.") for name in summary["numbers"] if not name.endswith(".stderr")]
    errors = {name: number(summary, f"error.{name}") for name in names if name not in (SAME, *BEYOND)}
    return {name: error - same for name, error in errors.items() if error is not None}
