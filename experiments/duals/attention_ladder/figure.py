"""Simpler attention in the place of a trained decoder's: its accuracy, its answers, and its updates by layer."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import points
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.duals.attention_ladder.results import LAYER, LAYERS, RUNG, RUNGS, accuracy, agreement, similarity
from lab.runs.directory import RunDirectory

CAPTION = (
    "Trained decoders with other attention in the place of softmax in every block, from linear attention at the top to "
    "softmax; means over seeds, bars are two standard errors. Left: accuracy. Middle: share of the queries for which "
    "the answer is the class that the decoder itself answers. Right: cosine of the updates that the examples make in "
    "attention's output, in the decoder and with other attention, by layer."
)
COLOURS = ("#882255", "#332288", "#44AA99", "#999933", "#AA4499")


def draw(directory: RunDirectory) -> Figure:
    rows, layers = table(directory, RUNGS), table(directory, LAYERS)
    names = [*dict.fromkeys(row.text(RUNG) for row in rows)]  # in the order of the ladder
    figure, axes = style.panels(1, 3, width=14, height=1.2 + 0.36 * len(names), sharey=True)
    places = range(len(names))
    for panel, column in zip(axes[0], (accuracy, agreement), strict=False):
        points(panel, places, _at_each(names, rows), column.name, flat=True, color="#0072B2")
    for layer, color in zip(distinct(layers, LAYER), COLOURS * len(layers), strict=False):
        at_each, label = _at_each(names, rows_where(layers, {LAYER: layer})), f"layer {layer:g}"
        points(axes[0, 2], places, at_each, similarity.name, flat=True, color=color, label=label)
    for panel, column in zip(axes[0], (accuracy, agreement, similarity), strict=True):
        panel.set(xlabel=column.label)
        panel.set_yticks(places, names, fontsize="small")
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.grid(axis="x", alpha=0.3)
    style.legend(axes[0, 2])
    return figure


def _at_each(names: list[str], rows: list[Row]) -> list[list[Row]]:
    return [rows_where(rows, {RUNG: name}) for name in names]
