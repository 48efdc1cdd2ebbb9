"""Claims about interleaved tokens [VO23, section 4], judged over seeds at the last training step.

The criteria were written before the run that judges them. By then, prototypes with other numbers of steps and other
rates had been seen. The last criterion was first applied to the other two parts, for which it is not met.
"""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import each_seed, flat
from analysis.figures.estimates import combine, estimate
from analysis.metrics.columns import Metric
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import Curves, Table
from analysis.tables.select import group_by, rows_where, table
from experiments.regression.comparison.controls import (
    LOSS,
    flat_for_descent,
    learns,
    reaches_descent,
    uses_context,
)
from experiments.regression.comparison.results import TRAINED, cosine, excess, loss, over_untrained
from lab.runs.directory import RunDirectory

FIGURE_5 = said(Work.VO23, "section 4 and figure 5")
SOFTMAX, LINEAR, MUON, BY_HAND = "softmax", "linear", "linear_muon", "constructed"
SOFTMAX_LEARNS, MUON_LEARNS = (
    learns(part=SOFTMAX),
    (*each_seed(uses_context(part=MUON), date="28 November 2026"), flat(LOSS, part=MUON)),
)


def others_over_partner(directory: RunDirectory) -> Numbers:
    """Return how much a token depends on other examples' tokens, over how much on its partner's token.

    This is measured behind the first layer, at the last training step. The partner of an input is its answer, and of an
    answer its input; the larger of these two dependences counts.
    """
    curves = rows_where(table(directory, Table.CURVES), {"part": SOFTMAX})
    last = list(group_by(curves, Curves.STEP).values())[-1]
    others, following, previous = (estimate(last, f"copying.{name}") for name in ("others", "next", "previous"))
    share = combine(lambda others, following, previous: others / max(following, previous), others, following, previous)
    return {"": share}


trained, muon = cosine.where(part=SOFTMAX), cosine.where(part=MUON)
CLAIMS = (
    claim(
        "Two trained layers on interleaved tokens, the first with softmax, match one step of gradient descent.",
        FIGURE_5,
        excess(part=SOFTMAX).within(0.05),
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    claim(
        "They do not match two steps.",
        FIGURE_5,
        loss.where(part=SOFTMAX)[TRAINED] - loss.where(part=SOFTMAX)["further_descent"] > 0,
        "two steps at their best rate",
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    claim(
        "Training reaches the construction: a layer that merges tokens, and one that descends.",
        stronger(Work.VO23, "section 4 and figure 5"),
        (trained[BY_HAND] > 0.99)
        & (over_untrained(Metric.PREDICTION_L2, BY_HAND, SOFTMAX) < 0.1)
        & (over_untrained(Metric.SENSITIVITY_L2, BY_HAND, SOFTMAX) < 0.1),
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    claim(
        "The first layer copies: its tokens depend on their neighbour and hardly on any other.",
        FIGURE_5,
        Quantity("derivative in tokens of other examples / in the partner", "", others_over_partner) < 0.1,
        "mean norms at the end",
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    claim(
        "With linear attention in the first layer it does not train.",
        FIGURE_5,
        excess(part=LINEAR) > 0.2,
        points=LINEAR,
        other_points=SOFTMAX,
        controls=(reaches_descent(part=SOFTMAX), flat_for_descent(part=LINEAR)),  # the recipe trains the softmax
    ),
    claim(
        "Muon trains a linear first layer, past one step: it also transforms inputs, as GD++ does.",
        own("derived here from VO23, sections 3 and 4"),
        (muon["gd_plus_plus"] - muon[BY_HAND] > 0) & (excess(part=MUON) < 0),
        points=MUON,
        controls=MUON_LEARNS,
    ),
)
