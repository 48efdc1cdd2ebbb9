"""Retrieve, then descend: the loss against the number of documents.

There is one panel per depth, and one line per way in which documents are injected. The claims are this lab's: that
documents lower the loss if the retriever can be learned.
"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.learned import flat
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import Row, distinct, finished, group_by, rows_where, sort_by, table, text
from experiments.regression.comparison.claims.controls import LOSS, reaches_descent
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


def losses(directory: RunDirectory, part: str, layers: float, learner: str = "transformer") -> dict[float, Estimate]:
    """Return {number of documents: loss}."""
    rows = rows_where(
        table(directory, Table.SEEDS),
        {Seeds.EVALUATION: "test", "part": part, "num_layers": layers, Seeds.LEARNER: learner},
    )
    return {count: estimate(group, Seeds.LOSS) for count, group in group_by(rows, "num_documents").items()}


def documents_help(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for layers in distinct(table(directory, Table.POINTS), "num_layers"):
        none, each = (losses(directory, part, layers) for part in ("none", "each"))
        name = f"{text(layers)} layers, %s documents: loss without - with"
        conditions += [above(name % text(count), none[count] - loss) for count, loss in each.items()]
    return conditions


def two_layers_beat_the_construction(directory: RunDirectory) -> list[Condition]:
    trained, none = (losses(directory, part, 2.0) for part in ("each", "none"))
    construction = losses(directory, "each", 2.0, "retrieved_descent")
    return [
        above(f"{text(count)} documents: {name} - trained", other[count] - loss)
        for count, loss in trained.items()
        for name, other in (("construction", construction), ("no documents", none))
    ]


def pooled_is_above_the_step(directory: RunDirectory) -> list[Condition]:
    pooled = losses(directory, "pooled", 2.0)
    step = losses(directory, "pooled", 2.0, "retrieved_descent")
    return [above(f"{text(count)} documents: pooled - the step", loss - step[count]) for count, loss in pooled.items()]


def pooled_recovers_little(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for layers in distinct(table(directory, Table.POINTS), "num_layers"):
        none, pooled, each = (losses(directory, part, layers) for part in ("none", "pooled", "each"))
        for count in each:
            share = combine(lambda a, b, c: (a - b) / (a - c), none[count], pooled[count], each[count])
            conditions.append(below(f"{text(layers)} layers, {text(count)} documents: share of the gain", share, 0.5))
    return conditions


CLAIMS = (
    Claim(
        statement="Documents lower the loss.",
        source=SOURCE,
        criterion="at 1 and 2 layers and every count, one row per document has a lower loss than no documents",
        judge=documents_help,
    ),
    Claim(
        statement="Two trained layers with documents beat the construction that retrieves, then descends.",
        source=SOURCE,
        criterion="at every count, the loss with one row per document is below that of one step from the retrieved "
        "model at its best rate (which the construction equals), and below that of two layers without documents",
        judge=two_layers_beat_the_construction,
    ),
    Claim(
        statement="Two layers with the pooled document stay above one step from the retrieved model.",
        source=SOURCE,
        criterion="at every count, the loss with the mean document is above that of the step; asserted before the "
        "first run, which showed the opposite",
        judge=pooled_is_above_the_step,
    ),
    Claim(
        statement="Pooled injection does not suffice.",
        source=SOURCE,
        criterion="the mean document gains less than half of what one row per document gains over no documents",
        judge=pooled_recovers_little,
    ),
)
