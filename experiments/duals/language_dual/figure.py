"""A language model's attention as gradient descent on dual models, layer by layer [LRGD]."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import estimate, exact
from analysis.figures.evidence import Condition, below, within
from analysis.figures.measures import mean_over_seeds
from analysis.figures.style import COLOURS, LAYERS
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.duals.language_dual.columns import EQUAL, Features, Layers, Path, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Means over sets of demonstrations; bars are two standard errors. From the left: largest difference of the answers "
    "of all tokens' dual models from attention's outputs, by layer; squared distance of the last token's answer from "
    "attention's output while its dual models learn the demonstrations, token by token; how much attention is on "
    "demonstrations and how much they move the answer; and the relative error of the last token's output with random "
    "features, median over heads, in the lowest and in the highest layer."
)


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 4, width=15, height=3.8)
    error, path, share, features = axes[0]
    layers = table(directory, Table.LAYERS)
    _by_layer(error, layers, {Layers.ERROR: "dual models - attention"})
    error.axhline(EQUAL, color="#999999", linestyle=":", linewidth=0.8)
    error.set(yscale="log", ylabel="largest relative difference")
    _path(path, table(directory, Table.PATH))
    _by_layer(share, layers, {Layers.SHARE: "attention on demonstrations", Layers.MOVED: "size of the step"})
    share.set(ylabel="share")
    _features(features, table(directory, Table.FEATURES))
    style.legend(*axes[0])
    return figure


def _by_layer(panel: Axes, rows: list[Row], columns: dict) -> None:
    places = distinct(rows, Layers.LAYER)
    for (column, label), color in zip(columns.items(), COLOURS, strict=False):
        each = [mean_over_seeds(rows_where(rows, {Layers.LAYER: layer}), column) for layer in places]
        means, errors = np.transpose(each)
        panel.errorbar(
            places, np.maximum(means, 1e-9), errors, fmt="o-", markersize=4, capsize=2, color=color, label=label
        )
    panel.set(xlabel="layer")


def _path(panel: Axes, rows: list[Row]) -> None:
    for layer, color in zip(distinct(rows, Path.LAYER), LAYERS * len(rows), strict=False):
        of_layer = rows_where(rows, {Path.LAYER: layer})
        places = distinct(of_layer, Path.LEARNED)
        means = [mean_over_seeds(rows_where(of_layer, {Path.LEARNED: place}), Path.DISTANCE)[0] for place in places]
        panel.plot(places, means, color=color, label=f"layer {layer:g}")
    panel.set(xlabel="share of the demonstrations learned", ylabel="squared distance from attention")


def _features(panel: Axes, rows: list[Row]) -> None:
    ends = sorted({min(distinct(rows, Features.LAYER)), max(distinct(rows, Features.LAYER))})
    for layer, line in zip(ends, ("-", "--"), strict=False):
        for name, color in zip(distinct(rows, Features.MAP), COLOURS, strict=False):
            chosen = rows_where(rows, {Features.LAYER: layer, Features.MAP: name})
            counts = distinct(chosen, Features.FEATURES)
            each = [mean_over_seeds(rows_where(chosen, {Features.FEATURES: count}), Features.ERROR) for count in counts]
            means, errors = np.transpose(each)
            panel.errorbar(
                counts, means, errors, fmt=f"{line}o", markersize=4, capsize=2, color=color,
                label=f"{name}, layer {layer:g}",
            )  # fmt: skip
    panel.set(xscale="log", yscale="log", xlabel="random features", ylabel="relative error of the output")


def equals(directory: RunDirectory) -> list[Condition]:
    largest = max(row.number(Layers.ERROR) for row in table(directory, Table.LAYERS))
    return [within("largest relative difference of dual models from attention", exact(largest), EQUAL)]


def ends_there(directory: RunDirectory) -> list[Condition]:
    """Return the conditions that the path ends in attention's output, and begins elsewhere."""
    rows = table(directory, Table.PATH)
    first, last = (max(row.number(Path.DISTANCE) for row in rows_where(rows, {Path.LEARNED: end})) for end in (0, 1))
    return [
        below("squared distance after all demonstrations / before any", exact(last / first), EQUAL),
    ]


def falls(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.FEATURES), {Features.MAP: "positive", Features.LAYER: 1})
    few, many = (
        estimate(rows_where(rows, {Features.FEATURES: pick(distinct(rows, Features.FEATURES))}), Features.ERROR)
        for pick in (min, max)
    )
    return [below("error with the most positive features - with the fewest", many - few)]


CLAIMS = (
    Claim(
        statement="Attention in a language model is a gradient step on dual models, for each token, layer and head.",
        source=said(
            Work.LRGD,
            "section 3.3, eqs. 8-11, and appendices C and D",
            "equivalence between LRGD token generation and gradient descent",
        ),
        criterion="the answers of the dual models of all tokens within 1e-5 of attention's outputs, relative to the "
        "largest output of the layer",
        judge=equals,
        controls=(),
    ),
    Claim(
        statement="A step for each token of the demonstrations leads a language model's dual models to its output.",
        source=said(Work.LRGD, "section 4.2, figure 8(a)", "after one whole gradient descent step for each token"),
        criterion="squared distance of the last token's answer from attention's output after all of them below 1e-5 of "
        "that before any, in every layer",
        judge=ends_there,
        controls=(),
    ),
    Claim(
        statement="More random features of a language model's queries and keys give its output more exactly.",
        source=own("derived here: the error of a mean of independent features falls with their number"),
        criterion="median error of positive features in the lowest layer: with the most below that with the fewest",
        judge=falls,
        controls=(),
    ),
)
