"""The picture of the front page: how far trained Transformers are from gradient descent of as many steps, by layer."""

import pathlib

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.measures import GD, excess
from analysis.findings.kept import Kept
from analysis.metrics.columns import Metric
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import Row, rows_where, table

NAME = "answer"
SHOWN = {  # (folder of kept tables, part): how it is called
    ("fig1", "plain"): "one linear layer",
    ("fig1", "rag_linear"): "... documents, linear retriever",
    ("fig1", "rag_dot"): "... documents, dot products",
    ("layer_norm", "layer_norm_1"): "... behind a layer norm",
    ("softmax_heads", "softmax_1"): "one layer, 1 softmax head",
    ("softmax_heads", "softmax_2"): "one layer, 2 softmax heads",
    ("depth", "layers_2"): "linear layer, applied twice",
    ("stacks", "looped_5"): "linear layer, applied 5 times",
    ("stacks", "own_5"): "five linear layers",
}
FIGURES = sorted({figure for figure, _ in SHOWN})


def draw(results: pathlib.Path) -> Figure:
    """Return the picture, drawn from the kept tables.

    Raises:
        NotMeasured: a table or a part is not there.
    """
    figure, axes = style.panels(1, 2, width=10, height=3.6, sharey=True)
    losses, cosines = axes[0]
    for place, (figure_name, part) in enumerate(SHOWN):
        rows = rows_where(table(Kept(results / figure_name), Table.SEEDS), {"part": part, Seeds.EVALUATION: "test"})
        _dots(losses, place, excess(rows))
        _dots(cosines, place, _cosine(rows))
    losses.axvline(0, color="#999999", linewidth=0.8)
    cosines.axvline(1, color="#999999", linewidth=0.8)
    losses.set_yticks(range(len(SHOWN)), list(SHOWN.values()))
    losses.invert_yaxis()
    losses.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    losses.set(title="loss above gradient descent's")
    cosines.set(title="cosine of sensitivities with gradient descent")
    return figure


def _cosine(rows: list[Row]) -> Estimate:
    return estimate(rows_where(rows, {Seeds.LEARNER: GD}), Metric.COSINE)


def _dots(panel, place: int, number: Estimate) -> None:
    values = list(number.by_seed.values())
    panel.plot(values, [place] * len(values), "o", color="#0072B2", alpha=0.45, markersize=5)
    panel.plot([number.mean] * 2, [place - 0.3, place + 0.3], color="#000000", linewidth=1.6)
