"""Layer norm before one layer of linear attention, beside the same without and a step of gradient descent [VO23, A.9
and figure 14]."""

import functools

from analysis.figures.cited import Work, said
from analysis.figures.controls import each_seed, flat
from analysis.figures.measures import GD
from analysis.results.declared import claim
from experiments.regression.comparison.controls import LOSS, is_descent
from experiments.regression.comparison.drawing import by_part
from experiments.regression.comparison.results import cosine, excess

CAPTION = by_part.CAPTION
NEEDS_POINTS = True
BANDS = True
LABELS = {
    "linear": "linear, 1 head",
    "layer_norm_1": "layer norm, linear, 1 head",
    "layer_norm_4": "layer norm, linear, 4 heads",
}
SOURCE = said(Work.VO23, "A.9 and figure 14")
CONTROLS = each_seed(is_descent(part="linear"), flat(LOSS), date="28 November 2026")

draw = functools.partial(by_part.draw, labels=LABELS)

one, four = (excess(part=f"layer_norm_{heads}") for heads in (1, 4))
CLAIMS = (
    claim(
        "With layer norm before it a linear layer has a higher loss than gradient descent, and aligns less with it.",
        SOURCE,
        (one > 0.01) & (cosine.where(part="linear")[GD] - cosine.where(part="layer_norm_1")[GD] > 0),
    ),
    claim("More heads do not help substantially.", SOURCE, four / one > 0.5),
)
