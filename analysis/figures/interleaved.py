"""Interleaved tokens [VO23, figure 5], one row per attention of the first layer: losses and alignment against the
training step, and what the tokens behind the first layer depend on."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import panels, style
from analysis.figures.interleaved_claims import CLAIMS as CLAIMS
from analysis.tables.select import NotMeasured, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Inputs and answers are tokens of their own; the first layer has softmax attention in the first row and linear "
    "attention in the others. Losses, and cosines of sensitivities, against the training step; the norm of the "
    "derivative of a token behind the first layer with respect to another token; the same for each pair of tokens at "
    "the end, with seed 0. An example's answer is the token behind its input."
)
NEEDS_POINTS = True
BANDS = True

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
        losses.set_title(f"{_in_words(name)}: loss")
        panels.metric(cosine, part, "sensitivity_cosine", ("constructed", "gd_plus_plus"))
        cosine.set_title("does it answer as a step of descent?")
        for column, look in TOKENS.items():
            style.band(tokens, table(part, "curves"), f"copying.{column}", *look)
        tokens.set(xlabel="training step", ylabel="norm of the derivative", title="first layer: tokens depend on")
        _pairs(pairs, part)
    style.legend(*axes[:, :3].flat)
    return figure


def _in_words(part: str) -> str:
    """'linear first, muon' of `linear_muon`."""
    first, *optimizer = part.split("_")
    return ", ".join([f"{first} first", *optimizer])


def _pairs(panel: Axes, part: RunDirectory) -> None:
    """Without what tokens depend on by themselves."""
    arrays = part.read_arrays("circuits")
    norms_TxT = arrays["copying.transformer"].astype(float)
    np.fill_diagonal(norms_TxT, np.nan)
    drawn = panel.imshow(norms_TxT, cmap="Greys", vmin=0)
    panel.grid(visible=False)
    panel.figure.colorbar(drawn, ax=panel, shrink=0.8)
    labels = [*(f"{kind}{example}" for example in (1, 2) for kind in ("x", "y")), "query"]
    places = [0, 1, 2, 3, len(norms_TxT) - 1]
    panel.set_xticks(places, labels, rotation=90)
    panel.set_yticks(places, labels)
    panel.set(xlabel="token that it depends on", ylabel="token behind the first layer", title="first layer, at the end")
