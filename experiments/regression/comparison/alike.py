"""Does a learner predict as another one? The answer follows from direction, distance, loss and shuffled labels.

A cosine is blind to scale, and two learners that both ignore the labels may point the same way. So the distance of the
predictions is measured by what means nothing: their distance from the constant 0, and from the same learner's
predictions with shuffled labels. Each bound must be met by the whole 95% interval.
"""

from collections.abc import Mapping

from analysis.figures.estimates import quantile
from analysis.figures.labels import learner_label
from analysis.report.blocks import Number
from analysis.report.sentences import joined
from analysis.report.values import number, seeds

SUBJECT = "transformer"
DIVERGED = "a loss is not a finite number: the training, or its reference, diverged"
AS, NEARLY, UNCLEAR, UNLIKE = (
    "predicts as", "predicts nearly as", "does not clearly predict as", "does not predict as"
)  # fmt: skip
BOUNDS = {  # least cosine; largest difference of losses, of the reference's; largest distance, of the smaller of both
    AS: (0.99, 0.01, 0.1),
    NEARLY: (0.95, 0.1, 0.3),
}


def alike(summary: Mapping) -> str:
    """Return 'the trained Transformer predicts as gradient descent', or of the user's own learners."""
    reference = summary["reference"]
    if number(summary, loss := f"{reference}.loss_difference") is None:
        return DIVERGED if loss in summary["numbers"] else ""
    who = {SUBJECT: "the trained Transformer"} | {name: learner_label(name) for name in _own(summary)}
    descended = " on the task's own loss" if "loss.squared_descent" in summary["numbers"] else ""
    return joined(f"{label} {verb(summary, name)} {learner_label(reference)}{descended}" for name, label in who.items())


def beside(summary: Mapping) -> str:
    """Return 'DeltaNet: cosine of sensitivities 0.9 ± 0.1, difference of losses ...' of the user's own learners; "" if
    there are none."""
    texts = []
    for name in _own(summary):
        metrics = ("sensitivity_cosine", "loss_difference")
        cosine, loss = (number(summary, f"{name}.{summary['reference']}.{metric}") for metric in metrics)
        numbers = [f"cosine of sensitivities {cosine.text()}"] if cosine else []
        numbers += [f"difference of losses {loss.text()}"] if loss else []
        texts.append(f"{learner_label(name)}: {', '.join(numbers)}" if numbers else "")
    return "; ".join(filter(None, texts))


def _own(summary: Mapping) -> list[str]:
    """Return the names of the user's own learners, of which the numbers have a difference from the reference."""
    loss = f".{summary['reference']}.loss_difference"
    return [name.removesuffix(loss) for name in summary["numbers"] if name.endswith(loss)]


def verb(summary: Mapping, learner: str = SUBJECT) -> str:
    """Return the verb for a learner beside the run's reference, on the same episodes."""
    reference, prefix = summary["reference"], "" if learner == SUBJECT else f"{learner}."
    metrics = ("sensitivity_cosine", "prediction_l2", "loss_difference")
    cosine, distance, loss = (number(summary, f"{prefix}{reference}.{metric}") for metric in metrics)
    controls = [number(summary, f"{prefix}{name}.prediction_l2") for name in ("mean", "shuffled")]
    unit = number(summary, f"loss.{reference}")
    if not (cosine and distance and loss and unit):
        return UNLIKE

    def meets(least: float, most: float, share: float, widths: int) -> bool:
        """Return whether bounds are met by whole intervals (1), or by means (0), where a missing control is no bar."""

        def width(each: Number) -> float:
            return widths * quantile(seeds(summary)) * (each.stderr or 0.0)

        if any(distance.mean + width(distance) > share * (each.mean - width(each)) for each in controls if each):
            return False
        return cosine.mean - width(cosine) >= least and abs(loss.mean) + width(loss) <= most * unit.mean

    for words, bounds in BOUNDS.items():
        if all(controls) and meets(*bounds, 1):
            return words
    return UNCLEAR if meets(*BOUNDS[NEARLY], 0) else UNLIKE
