"""Interleaved tokens [VO23, figure 5], one row per attention of the first layer: losses and alignment against the
training step, and what the tokens behind the first layer depend on.

Criteria were written before the run that judges them, when prototypes with other steps and rates had been seen.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said, stronger
from analysis.metrics.columns import Metric
from analysis.results.column import LAST, Column
from analysis.results.declared import claim
from analysis.results.quantity import greatest
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, group_by, table
from experiments.regression.comparison.controls import flat_for_descent, learns, reaches_descent
from experiments.regression.comparison.drawing import panels
from experiments.regression.comparison.results import TRAINED, cosine, excess, loss, over_untrained
from lab.runs.directory import RunDirectory

CAPTION = (
    "Inputs and answers are tokens of their own; the first layer has softmax attention in the first row and linear "
    "attention in the others. Losses (thin: the trained Transformer of each seed) and cosines of sensitivities against "
    "the training step; the norm of the derivative of a token behind the first layer with respect to another token; "
    "the same for each pair of tokens at the end, with seed 0. An example's answer is the token behind its input. "
    "Seeds leave their plateau at different steps, which makes bands wide."
)
NEEDS_POINTS = True
BANDS = True

ALIGNED = ("constructed", "further_descent", "gd_plus_plus")
TOKENS = {  # column of curves.csv: how it looks
    "own": ("the token itself", "#999999", ":"),
    "next": ("an input's token on its answer's", "#0072B2", "-"),
    "previous": ("an answer's token on its input's", "#009E73", "-"),
    "others": ("tokens of other examples", "#D55E00", "--"),
}


def draw(directory: RunDirectory) -> Figure:
    parts = directory.points()
    if not parts:
        raise NotMeasured("no point is done")
    figure, axes = style.panels(len(parts), 4, width=13, height=3.3 * len(parts))
    for (name, part), (losses, cosines, tokens, pairs) in zip(parts.items(), axes, strict=True):
        panels.losses(losses, part)
        for curve in group_by(table(part, Table.CURVES), Curves.SEED).values():
            steps, values = zip(*((row[Curves.STEP], row["loss.transformer"]) for row in curve), strict=True)
            losses.plot(steps, values, color="#0072B2", linewidth=0.6, alpha=0.7)
        losses.set_title(f"{_in_words(name)}: loss")
        panels.metric(cosines, part, Metric.COSINE, ALIGNED)
        cosines.set_title("answers as which steps?")
        for column, look in TOKENS.items():
            style.band(tokens, table(part, Table.CURVES), f"copying.{column}", *look)
        tokens.set(xlabel="training step", ylabel="norm of the derivative", title="first layer: derivatives")
        _pairs(pairs, part)
    style.legend(*axes[:, :3].flat)
    return figure


def _in_words(part: str) -> str:
    """Return the name of a part in words: 'linear first, Muon' for `linear_muon`."""
    first, *optimizer = part.split("_")
    return ", ".join([f"{first} first", *(name.capitalize() for name in optimizer)])


def _pairs(panel: Axes, part: RunDirectory) -> None:
    """Draw the derivatives of each token in each other token; those in the token itself are left out."""
    arrays = part.read_arrays("circuits")
    norms_TxT = arrays["copying.transformer"].astype(float)
    np.fill_diagonal(norms_TxT, np.nan)
    picture = panel.imshow(norms_TxT, cmap="Greys", vmin=0)
    panel.grid(visible=False)
    panel.figure.colorbar(picture, ax=panel, shrink=0.8)
    places, labels = [0, len(norms_TxT) - 1], ["x1", "query"]
    panel.set_xticks(places, labels)
    panel.set_yticks(places, labels)
    panel.set(
        xlabel="token that it depends on", ylabel="token behind the first layer", title="first layer: pairs of tokens"
    )


FIGURE_5 = said(Work.VO23, "section 4 and figure 5")
SOFTMAX, LINEAR, BY_HAND = "softmax", "linear", "constructed"
SOFTMAX_LEARNS = learns(part=SOFTMAX)
derivative = Column(
    Table.CURVES, "copying", "derivative behind the first layer", "Mean norm of a token's derivative by other tokens."
).where(part=SOFTMAX, step=LAST)
trained = cosine.where(part=SOFTMAX)
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
        derivative["others"] / greatest(derivative["next"], derivative["previous"]) < 0.1,
        "the partner of an input is its answer, of an answer its input; the larger of the two counts",
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
)
