"""Retrieve, then descend: loss against the number of documents, one panel per depth, one line per way of injection; and
what documents are good for where the retriever can be learned (claims of this lab)."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.claim import Claim, Verdict
from analysis.tables.select import Row, distinct, finished, label, rows_where, sort_by, table
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
SOURCE = "this lab"


def draw(directory: RunDirectory) -> Figure:
    points = finished(table(directory, "points"))
    depths = distinct(points, "num_layers")
    figure, axes = style.panels(1, len(depths), width=4.6 * len(depths), height=4, sharey=True)
    for layers, panel in zip(depths, axes[0], strict=True):
        for way, (name, color) in WAYS.items():
            _line(panel, rows_where(points, part=way, num_layers=layers), "loss.transformer", name, color, "-")
        for learner, (name, color, line) in STEPS.items():
            _line(panel, rows_where(points, part="each", num_layers=layers), f"loss.{learner}", name, color, line)
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


def _losses(directory: RunDirectory, part: str, layers: int, column: str = "loss.transformer") -> dict[str, float]:
    """{number of documents: loss}."""
    rows = rows_where(table(directory, "points"), part=part, num_layers=float(layers))
    return {f"{label(row, 'num_documents')} documents": row[column] for row in rows}


def documents_help(directory: RunDirectory) -> Verdict:
    measured, holds = {}, True
    for layers in distinct(table(directory, "points"), "num_layers"):
        without, with_them = _losses(directory, "none", layers), _losses(directory, "each", layers)
        for count, loss in with_them.items():
            measured[f"{layers:g} layers, {count}: with / without"] = loss / without[count]
            holds &= loss < without[count]
    return measured, holds


def two_layers_beat_one_step(directory: RunDirectory) -> Verdict:
    trained = _losses(directory, "each", 2)
    step = _losses(directory, "each", 2, "loss.retrieved_descent")
    measured = {f"{count}: trained / step": loss / step[count] for count, loss in trained.items()}
    return measured, all(ratio < 1 for ratio in measured.values())


def pooled_recovers_little(directory: RunDirectory) -> Verdict:
    """Two layers beat the step from the retrieved model even without documents, so that step says nothing here: what
    the mean document is worth is measured by what one row a document is worth."""
    shares = {}
    for layers in distinct(table(directory, "points"), "num_layers"):
        none, pooled, each = (_losses(directory, part, layers) for part in ("none", "pooled", "each"))
        for count in each:
            shares[f"{layers:g} layers, {count}"] = (none[count] - pooled[count]) / (none[count] - each[count])
    return shares, all(share < 0.5 for share in shares.values())


CLAIMS = (
    Claim(
        statement="Documents lower the loss.",
        source=SOURCE,
        criterion="at 1 and 2 layers and every count, one row a document has a lower loss than no documents",
        judge=documents_help,
    ),
    Claim(
        statement="Two layers with documents beat one gradient step from the retrieved model.",
        source=SOURCE,
        criterion="at every count, the loss with one row a document is below that of the step",
        judge=two_layers_beat_one_step,
    ),
    Claim(
        statement="Pooled injection does not suffice.",
        source=SOURCE,
        criterion="the mean document gains less than half of what one row a document gains over no documents",
        judge=pooled_recovers_little,
    ),
)
