"""The answer to whether momentum beside attention speeds up learning in context."""

from analysis.report.sentences import counted, joined, over_points, sentence, span
from analysis.report.values import claimed, number

MOMENTS = {"half of the steps": "at half of the steps", "end": "at the end"}
MOMENTUM, NONE, SHIFT = "eta=0.5", "none", "shift"


def answer_of_run(summary: dict) -> str:
    """Return the change of the loss by momentum at half of the steps and at the end, and beside the previous token."""
    changes = joined(_change(summary, NONE, moment) for moment in MOMENTS)
    if not changes:
        return _one_number(summary)
    first = f"a moving average of values (eta = .5) beside attention changes the loss of attention alone by {changes}"
    control = _change(summary, SHIFT, "half of the steps")
    second = f"it differs from the previous token's value alone by {control}" if control else ""
    return sentence(first, second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of how far momentum's loss is above the floor at the end."""
    names = [name for point in summary["points"].values() for name in point["numbers"]]
    wanted = next((name for name in names if name.startswith("end.") and name.endswith(f".{MOMENTUM}")), "")
    noun = f"the loss above the floor at the end, with eta = .5 and positions {wanted.split('.')[1]}," if wanted else ""
    return sentence(over_points(summary, wanted, noun), summary=summary) if wanted else ""


def _change(summary: dict, other: str, moment: str) -> str:
    """Return the range over kinds of positions of the difference of losses, paired within seeds."""
    paired = [*claimed(summary, f"{MOMENTUM} - {other}, positions ", f", {moment}").values()]
    if not paired:
        return ""
    noise = sum(each.is_noise for each in paired)
    kinds = f"{counted(len(paired), 'kind')} of positions"
    remark = f"not measurable with {noise} of {kinds}" if noise else f"over {kinds}"
    return f"{span(paired)} nats {MOMENTS[moment]} ({remark})"


def _one_number(summary: dict) -> str:
    """Return how far the loss is above the floor, where eta = .5 was not among the rates."""
    names = [name for name in summary["numbers"] if name.startswith("end.") and not name.endswith(".stderr")]
    value = next(((name, each) for name in names if (each := number(summary, name))), None)
    if value is None:
        return ""
    _, positions, variant = value[0].split(".", 2)
    words = f"at the end the loss with {variant} and positions {positions} is {value[1].text()} nats above the floor"
    return sentence(words, summary=summary)
