"""Figure 1 of RAG-GD, one layer without documents and with both retrievers: one column per task; losses above,
alignment with gradient descent below, against the training step."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above, below, estimate, within
from analysis.figures.measures import GD, excess
from analysis.figures.words import part_in_words
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Seeds, Table
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table, text
from experiments.comparison.drawing import panels
from lab.runs.directory import RunDirectory

CAPTION = (
    "One column per task: losses, their distance from gradient descent's, and the trained Transformer's alignment with "
    "gradient descent, against the training step. Gradient descent is not shown the documents of rag_dot: it starts "
    "from zero."
)
NEEDS_POINTS = True
BANDS = True


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


def same_loss(directory: RunDirectory) -> list[Condition]:
    name = "%s: trained / gradient descent - 1"
    return [within(name % part, excess(rows), 0.01) for part, rows in by_part(directory).items()]


def same_direction(directory: RunDirectory) -> list[Condition]:
    return [
        above(f"{part}: cosine", estimate(rows_where(rows, {Seeds.LEARNER: GD}), Metric.COSINE), 0.99)
        for part, rows in by_part(directory).items()
    ]


def distances_vanish(directory: RunDirectory) -> list[Condition]:
    curves, conditions = table(directory, Table.CURVES), []
    for part, curve in group_by(curves, "part").items():
        start, *_, end = group_by(curve, Curves.STEP).values()
        for metric, words in (
            (Metric.PREDICTION_L2, "prediction difference"),
            (Metric.SENSITIVITY_L2, "model difference"),
        ):
            first, last = (estimate(rows, f"{GD}.{metric}") for rows in (start, end))
            conditions.append(
                below(f"{part}: {words} at step {text(end[0][Curves.STEP])} / at step 0", last / first, 0.1)
            )
    return conditions


def by_part(directory: RunDirectory) -> dict[str, list[Row]]:
    """Return {part: its rows of seeds.csv on the test episodes}."""
    return group_by(rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test"}), "part")


CLAIMS = (
    Claim(
        statement="The trained Transformer's loss becomes that of one step of gradient descent.",
        source="RAG-GD, figure 1",
        criterion="at the end, trained loss / gradient descent's - 1 is within 1% for each task",
        judge=same_loss,
    ),
    Claim(
        statement="Its predictions change with the query in the direction in which gradient descent's change.",
        source="RAG-GD, figure 1",
        criterion="at the end, the mean cosine of the sensitivities is above 0.99 for each task",
        judge=same_direction,
    ),
    Claim(
        statement="Differences of predictions and of sensitivities go to zero.",
        source="RAG-GD, figure 1",
        criterion="at the end, each mean L2 difference is below a tenth of the untrained model's",
        judge=distances_vanish,
    ),
)
