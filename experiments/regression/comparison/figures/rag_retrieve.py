"""Retrieve, then descend: the loss against the number of documents.

There is one panel per depth, and one line per way in which documents are injected. The claims are this lab's: that
documents lower the loss if the retriever can be learned.
"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.controls import flat
from analysis.results.declared import claim
from analysis.results.quantity import Quantity
from analysis.tables.columns import Table
from analysis.tables.select import Row, distinct, finished, rows_where, sort_by, table
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.results import TRAINED, loss
from lab.runs.directory import RunDirectory

CAPTION = "Losses against the number of documents, for three ways of injection."
NEEDS_POINTS = True
BANDS = True

WAYS = {
    "none": ("no documents", "#999999"),
    "pooled": ("their mean, one row", "#E69F00"),
    "each": ("one row per document", "#0072B2"),
}
STEPS = {
    "gradient_descent": ("gradient descent, one step per layer", "#000000", ":"),
    "retrieved_descent": ("one step from the retrieved model", "#009E73", "--"),
}
LAYERS, DOCUMENTS, STEP = "num_layers", "num_documents", "retrieved_descent"
SOURCE = own("derived here from RAG-GD, section 2.2, where all episodes share a retriever")
CONTROLS = reaches_descent(), flat(LOSS)


def draw(directory: RunDirectory) -> Figure:
    points = finished(table(directory, Table.POINTS))
    depths = distinct(points, "num_layers")
    figure, axes = style.panels(1, len(depths), width=4.6 * len(depths), height=4, sharey=True)
    for layers, panel in zip(depths, axes[0], strict=True):
        for way, (name, color) in WAYS.items():
            _line(panel, rows_where(points, {"part": way, "num_layers": layers}), "loss.transformer", name, color, "-")
        for learner, (name, color, line) in STEPS.items():
            _line(
                panel, rows_where(points, {"part": "each", "num_layers": layers}), f"loss.{learner}", name, color, line
            )
        panel.set(title=f"layers: {layers:g}", xlabel="documents", ylabel="loss, 1/2 squared error")
        panel.set_xticks(distinct(points, "num_documents"))
    for panel in axes[0]:
        style.log(panel)
    style.legend(axes[0][0])
    return figure


def _line(axes: Axes, rows: list[Row], loss: str, name: str, color: str, line: str) -> None:
    rows, counts = sort_by(rows, "num_documents"), distinct(rows, "num_documents")
    means = [row[loss] for row in rows]
    axes.errorbar(counts, means, [row.get(f"{loss}.spread", 0.0) for row in rows], fmt=line, color=color, label=name)


def by_documents(part: str, learner: str = TRAINED, layers: int | None = None) -> Quantity:
    """Return the loss at every number of documents, of all numbers of layers or of one."""
    if layers is None:
        return loss.where(part=part).along((LAYERS, DOCUMENTS), learner)
    return loss.where(part=part, num_layers=layers).along(DOCUMENTS, learner)


none, pooled, each = (by_documents(part) for part in WAYS)
deep_none, deep_pooled, deep_each = (by_documents(part, layers=2) for part in WAYS)
CLAIMS = (
    claim("Documents lower the loss.", SOURCE, none - each > 0),
    claim(
        "Two trained layers with documents beat the construction that retrieves, then descends.",
        SOURCE,
        (by_documents("each", STEP, 2) - deep_each > 0) & (deep_none - deep_each > 0),
        "the construction equals one step from the retrieved model at its best rate",
    ),
    claim(
        "Two layers with the pooled document stay above one step from the retrieved model.",
        SOURCE,
        deep_pooled - by_documents("pooled", STEP, 2) > 0,
        "asserted before the first run, which showed the opposite",
    ),
    claim(
        "Pooled injection does not suffice.",
        SOURCE,
        (none - pooled) / (none - each) < 0.5,
        "the share of the gain by one row per document",
    ),
)
