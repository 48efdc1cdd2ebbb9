"""Layer norm before one layer of linear attention, beside the same without and a step of gradient descent [VO23, A.9
and figure 14]."""

from matplotlib.figure import Figure

from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above
from analysis.figures.learned import flat
from experiments.regression.comparison.claims.controls import LOSS, is_descent
from experiments.regression.comparison.drawing import by_part
from experiments.regression.comparison.drawing.by_part import above_descent, cosine_of
from lab.runs.directory import RunDirectory

CAPTION = by_part.CAPTION
NEEDS_POINTS = True
BANDS = True
LABELS = {
    "linear": "linear, 1 head",
    "layer_norm_1": "layer norm, linear, 1 head",
    "layer_norm_4": "layer norm, linear, 4 heads",
}
SOURCE = said(Work.VO23, "A.9 and figure 14")
CONTROLS = is_descent(part="linear"), flat(LOSS)


def draw(directory: RunDirectory) -> Figure:
    return by_part.draw(directory, LABELS)


def worse_and_less_aligned(directory: RunDirectory) -> list[Condition]:
    linear, normed = (cosine_of(directory, part) for part in ("linear", "layer_norm_1"))
    return [
        above("layer norm: loss / gradient descent's - 1", above_descent(directory, "layer_norm_1"), 0.01),
        above("cosine with gradient descent, without - with layer norm", linear - normed),
    ]


def heads_do_not_help(directory: RunDirectory) -> list[Condition]:
    four, one = (above_descent(directory, part) for part in ("layer_norm_4", "layer_norm_1"))
    return [above("gap to gradient descent with layer norm, 4 heads / 1 head", four / one, 0.5)]


CLAIMS = (
    Claim(
        "With layer norm before it a linear layer has a higher loss than gradient descent, and aligns less with it.",
        SOURCE,
        "at the end, its loss is more than 1% above that of one step of gradient descent, and the mean cosine of the "
        "sensitivities is below that without layer norm",
        worse_and_less_aligned,
    ),
    Claim(
        "More heads do not help substantially.",
        SOURCE,
        "at the end, loss / gradient descent's - 1 with four heads is more than half of that with one",
        heads_do_not_help,
    ),
)
