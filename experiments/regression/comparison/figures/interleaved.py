"""Interleaved tokens [VO23, figure 5], one row per attention of the first layer: losses and alignment against the
training step, and what the tokens behind the first layer depend on."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, group_by, table
from experiments.regression.comparison.claims.interleaved import CLAIMS as CLAIMS
from experiments.regression.comparison.drawing import panels
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
    for (name, part), (losses, cosine, tokens, pairs) in zip(parts.items(), axes, strict=True):
        panels.losses(losses, part)
        for curve in group_by(table(part, Table.CURVES), Curves.SEED).values():
            steps, values = zip(*((row[Curves.STEP], row["loss.transformer"]) for row in curve), strict=True)
            losses.plot(steps, values, color="#0072B2", linewidth=0.6, alpha=0.7)
        losses.set_title(f"{_in_words(name)}: loss")
        panels.metric(cosine, part, Metric.COSINE, ALIGNED)
        cosine.set_title("answers as which steps?")
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
