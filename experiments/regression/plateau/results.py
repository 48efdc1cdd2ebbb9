"""The results of `plateau`: predicted and measured steps at which layers leave their plateau, and claims on them.

A seed has initial weights and training episodes of its own.
"""

import statistics

from analysis.figures.cited import own
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate
from analysis.results.column import FIRST, Column
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import Seeds
from analysis.tables.select import NotMeasured, Row, rows_where, table
from lab.runs.directory import RunDirectory

EXITS, LAYERS = "exits", "layers"  # by plain gradient descent, per form and scale; by the lab's recipe, per layer
FORM, SCALE = "form", "scale"
MERGED, SEPARATE, LINEAR, SOFTMAX, LAYER_NORM = "merged", "separate", "linear", "softmax", "layer_norm"
SOURCE = "derived here after Zhang et al. 2025 (arXiv 2501.16265)"

predicted = Column(EXITS, "predicted", "predicted step", "Step at which a seed is expected to leave its plateau, from "
                   "its initial weights.", FORM)  # fmt: skip
steps = Column(EXITS, "steps", "measured step", "Step at which a seed leaves its plateau.", FORM)
ratio = Column(EXITS, "ratio", "measured / predicted", "Measured step over the predicted one.", FORM)
left = Column(EXITS, "left", "share that leaves", "Share of seeds that leave their plateau at all.", FORM)
replayed = Column(LAYERS, "replayed", "step on the population loss", "Step at which the recipe's optimiser, on the "
                  "population loss of a seed's initial weights, leaves the plateau.", FORM)  # fmt: skip
waiting = Column(LAYERS, "waiting", "share learned while waiting", "Share of what can be learned that a seed which "
                 "leaves late knows on its plateau.", FORM, sparse=True)  # fmt: skip
layer_left = Column(LAYERS, "left", "share that leaves", left.sentence, FORM)

HEADLINES = (ratio.where(**{SCALE: FIRST}), waiting, layer_left)
ANSWER = ("the step at which the plateau ends is {ratio.*} of what initial weights predict",)


def order(name: str, form: str, scale: float | None = None, expected: Column = predicted) -> Quantity:
    """Return Spearman's correlation over seeds of expected and measured steps, as a mean over seeds of products of
    standardised ranks, whose spread gives its error: right for unrelated orders, too wide for a high correlation."""

    def numbers(directory: RunDirectory) -> Numbers:
        rows = rows_where(table(directory, name), {FORM: form} if scale is None else {FORM: form, SCALE: scale})
        if len(rows) < 3:
            raise NotMeasured(f"{name}: an order needs three seeds of {form}")
        return {
            "": Estimate(dict(zip((row.number(Seeds.SEED) for row in rows), products(rows, expected), strict=True)))
        }

    where = form if scale is None else f"{form}, scale {scale:g}"
    return Quantity(f"rank correlation of {expected.label} and {steps.label}", where, numbers)


def products(rows: list[Row], expected: Column) -> list[float]:
    """Return each seed's product of standardised ranks of the expected and the measured step."""
    pairs = zip(*(standardised([row.number(each.name) for row in rows]) for each in (expected, steps)), strict=True)
    return [one * other for one, other in pairs]


def standardised(values: list[float]) -> list[float]:
    """Return ranks, equal values at their mean rank, with mean 0 and mean square 1 (0 where all values are equal)."""
    ranks = [statistics.fmean(i for i, other in enumerate(sorted(values)) if other == value) for value in values]
    middle, spread = statistics.fmean(ranks), statistics.pstdev(ranks)
    return [(rank - middle) / spread if spread else 0.0 for rank in ranks]


def at(scale: float, form: str) -> Quantity:
    return steps.where(scale=scale)[form]


def all_leave(*forms: str) -> tuple[Control, ...]:
    return tuple(Control(f"all seeds leave ({form})", left.along(SCALE, form) > 0.999) for form in forms)


LARGE, MIDDLE, SMALL = 0.1, 0.03, 0.01  # scales
USELESS = 0.3  # a rank correlation that explains less than a tenth of the order
CONTROLS = all_leave(MERGED, SEPARATE)


def learned(*layers: str) -> tuple[Control, ...]:
    """Return the controls that layers learn, and that the prediction orders seeds where the theory is exact."""
    exact = Control("plain descent of separate matrices is in the predicted order", order(EXITS, SEPARATE, SMALL) > 0)
    return *(Control(f"most seeds leave ({layer})", layer_left[layer] > 0.5) for layer in layers), exact


CLAIMS = (
    claim(
        "The step at which plain gradient descent with merged key and query matrices leaves its plateau follows from "
        "the initial weights.",
        own(SOURCE),
        ratio.along(SCALE, MERGED).between(0.9, 1.1) & (order(EXITS, MERGED, SMALL) > 0),
        controls=all_leave(MERGED),
    ),
    claim(
        "With separate matrices it follows from them, too.",
        own(SOURCE),
        ratio.along(SCALE, SEPARATE).between(0.9, 1.1) & (order(EXITS, SEPARATE, SMALL) > 0),
        controls=all_leave(SEPARATE),
    ),
    claim(
        "With smaller initial weights the plateau is longer in inverse proportion with separate matrices, and by a "
        "logarithm with merged ones.",
        own(SOURCE),
        (at(SMALL, SEPARATE) / at(MIDDLE, SEPARATE)).between(3, 3.6)
        & ((at(SMALL, MERGED) - at(MIDDLE, MERGED)) / (at(MIDDLE, MERGED) - at(LARGE, MERGED))).between(0.7, 1.3),
    ),
    claim(
        "Trained by Adam, layers leave their plateau in the order that their initial weights predict for gradient "
        "descent.",
        own(SOURCE),
        (order(LAYERS, LINEAR) > 0) & (order(LAYERS, SOFTMAX) > 0) & (order(LAYERS, LAYER_NORM) > 0),
        controls=learned(LINEAR, SOFTMAX, LAYER_NORM),
        delta=USELESS,
    ),
    claim(
        "Linear layers leave it in the order in which Adam on the population loss of their initial weights does.",
        own(SOURCE),
        order(LAYERS, LINEAR, expected=replayed) > 0,
        controls=learned(LINEAR),
        delta=USELESS,
    ),
    claim(
        "Linear layers that leave late wait at the saddle where one of ten directions is learned.",
        own(SOURCE),
        waiting[LINEAR].between(0.08, 0.12),
        "a tenth of what can be learned; late is twice the median step",
        controls=learned(LINEAR),
    ),
)
