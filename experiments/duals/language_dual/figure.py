"""A language model's attention as gradient descent on dual models, layer by layer [LRGD]."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures import style
from analysis.figures.means import line, means
from analysis.figures.style import COLOURS
from analysis.figures.style import LAYERS as LAYER_COLOURS
from analysis.tables.select import Row, distinct, group_by, rows_where, table
from experiments.duals.language_dual import results
from experiments.duals.language_dual.results import COUNT, EQUAL, FEATURES, LAYER, LEARNED, MAP, PATH
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
    layers = table(directory, results.LAYERS)
    _by_layer(error, layers, {results.error: "dual models - attention"})
    error.axhline(EQUAL, color="#999999", linestyle=":", linewidth=0.8)
    error.set(yscale="log", ylabel="largest relative difference")
    _path(path, table(directory, PATH))
    _by_layer(share, layers, {each: each.label for each in (results.share, results.moved)})
    share.set(ylabel="share")
    _features(features, table(directory, FEATURES))
    style.legend(*axes[0])
    return figure


def _by_layer(panel: Axes, rows: list[Row], columns: dict) -> None:
    for (column, label), color in zip(columns.items(), COLOURS, strict=False):
        line(panel, rows, LAYER, column.name, color=color, label=label)
    panel.set(xlabel="layer")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _path(panel: Axes, rows: list[Row]) -> None:
    for layer, color in zip(distinct(rows, LAYER), LAYER_COLOURS * len(rows), strict=False):
        by_share = group_by(rows_where(rows, {LAYER: layer}), LEARNED)
        panel.plot([*by_share], means([*by_share.values()], results.distance.name)[0], color=color,
                   label=f"layer {layer:g}")  # fmt: skip
    panel.set(xlabel="share of the demonstrations learned", ylabel=results.distance.label)


def _features(panel: Axes, rows: list[Row]) -> None:
    ends = sorted({min(distinct(rows, LAYER)), max(distinct(rows, LAYER))})
    for layer, dashes in zip(ends, ("-", "--"), strict=False):
        for name, color in zip(distinct(rows, MAP), COLOURS, strict=False):
            chosen, label = rows_where(rows, {LAYER: layer, MAP: name}), f"{name}, layer {layer:g}"
            line(panel, chosen, COUNT, results.feature_error.name, fmt=f"{dashes}o", color=color, label=label)
    panel.set(xscale="log", yscale="log", xlabel="random features", ylabel=results.feature_error.label)
