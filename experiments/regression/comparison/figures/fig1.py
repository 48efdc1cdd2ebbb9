"""Figure 1 of RAG-GD, one layer without documents and with both retrievers: one column per task; losses above,
alignment with gradient descent below, against the training step."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.measures import GD, excess
from analysis.figures.words import part_in_words
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Seeds, Table
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table, text
from experiments.regression.comparison.claims import controls
from experiments.regression.comparison.drawing import panels
from lab.runs.directory import RunDirectory

CAPTION = (
    "One column per task: losses, their distance from gradient descent's, and the trained Transformer's alignment with "
    "gradient descent, against the training step. Gradient descent is not shown the documents of rag_dot: it starts "
    "from zero."
)
NEEDS_POINTS = True
BANDS = True
CONTROLS = controls.learns()

PLAIN, RETRIEVERS = "plain", ("rag_linear", "rag_dot")  # parts; RAG-GD's figure has those with documents
EXACT = 1e-5


def draw(directory: RunDirectory) -> Figure:
    parts = directory.points()
    if not parts:
        raise NotMeasured("no point is done")
    figure, axes = style.panels(4, len(parts), width=4 * len(parts), height=9.5)
    for (name, part), losses, relative, cosine, distance in zip(parts.items(), *axes, strict=True):
        panels.losses(losses, part)
        losses.set_title(part_in_words(name))
        panels.excess(relative, part, GD)
        panels.metric(cosine, part, Metric.COSINE, [GD])
        panels.distances(distance, part, GD)
    style.legend(*axes[:, 0])
    return figure


def same_loss(directory: RunDirectory, parts: Sequence[str]) -> list[Condition]:
    name = "%s: trained / gradient descent - 1"
    return [within(name % part, excess(rows), 0.01) for part, rows in by_part(directory, parts).items()]


def same_direction(directory: RunDirectory, parts: Sequence[str]) -> list[Condition]:
    return [
        above(f"{part}: cosine", estimate(rows_where(rows, {Seeds.LEARNER: GD}), Metric.COSINE), 0.99)
        for part, rows in by_part(directory, parts).items()
    ]


def distances_vanish(directory: RunDirectory, parts: Sequence[str]) -> list[Condition]:
    curves, conditions = table(directory, Table.CURVES), []
    for part in parts:
        start, *_, end = group_by(rows_where(curves, {"part": part}), Curves.STEP).values()
        for metric, words in (
            (Metric.PREDICTION_L2, "prediction difference"),
            (Metric.SENSITIVITY_L2, "model difference"),
        ):
            first, last = (estimate(rows, f"{GD}.{metric}") for rows in (start, end))
            conditions.append(
                below(f"{part}: {words} at step {text(end[0][Curves.STEP])} / at step 0", last / first, 0.1)
            )
    return conditions


def constructed_is_descent(directory: RunDirectory) -> list[Condition]:
    name = "%s: constructed / gradient descent - 1"
    return [
        within(name % part, excess(rows, "constructed"), EXACT) for part, rows in by_part(directory, RETRIEVERS).items()
    ]


def by_part(directory: RunDirectory, parts: Sequence[str]) -> dict[str, list[Row]]:
    """Return {part: its rows of seeds.csv on the test episodes}."""
    rows = rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test"})
    return {part: rows_where(rows, {"part": part}) for part in parts}


CLAIMS = (
    Claim(
        statement="With both retrievers, a trained layer's loss is that of one step of gradient descent.",
        source=said(Work.RAG_GD, "figure 1, caption", "matches that of the RAG model"),
        criterion="at the end, trained loss / gradient descent's - 1 is within 1% for each retriever",
        judge=lambda directory: same_loss(directory, RETRIEVERS),
    ),
    Claim(
        statement="With both retrievers, its predictions change with the query in the direction in which gradient "
        "descent's change.",
        source=said(Work.RAG_GD, "figure 1, caption", "near-perfect alignment, as measured by cosine similarity"),
        criterion="at the end, the mean cosine of the sensitivities is above 0.99 for each retriever",
        judge=lambda directory: same_direction(directory, RETRIEVERS),
    ),
    Claim(
        statement="With both retrievers, the differences of predictions and of models from gradient descent vanish.",
        source=said(Work.RAG_GD, "figure 1, caption", "distance between both models and their predictions"),
        criterion="at the end, each mean L2 difference is below a tenth of the untrained layer's",
        judge=lambda directory: distances_vanish(directory, RETRIEVERS),
    ),
    Claim(
        statement="Without documents, a trained layer is one step of gradient descent in loss, predictions and models.",
        source=said(Work.VO23, "section 3 and figure 2"),
        criterion="the same three, for the task without documents",
        judge=lambda directory: [
            condition
            for judge in (same_loss, same_direction, distances_vanish)
            for condition in judge(directory, [PLAIN])
        ],
    ),
    Claim(
        statement="With both retrievers, a layer of linear attention can be constructed that is one step of gradient "
        "descent.",
        source=said(Work.RAG_GD, "section 2.4, lemma, and eq. 8", "equivalent to the training progress"),
        criterion="constructed loss / gradient descent's - 1 is within 0.00001, the rounding of single precision",
        judge=constructed_is_descent,
        controls=(),
    ),
)
