"""Figure 3 of RAG-GD: the dot-product retriever at 2 and 5 recurrent layers."""

from analysis.figures.cited import Work, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.controls import flat
from analysis.figures.estimates import Estimate, estimate, mean
from analysis.figures.evidence import Condition, above, within
from analysis.figures.measures import GD, excess, from_the_mean
from analysis.metrics.columns import Metric
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table, text
from experiments.regression.comparison.controls import LOSS as TRAINED
from experiments.regression.comparison.controls import reaches_descent
from experiments.regression.comparison.drawing import by_documents
from experiments.regression.comparison.drawing.by_documents import LOSS, PREDICTION, along
from lab.runs.directory import RunDirectory

CAPTION = f"{by_documents.CAPTION} Gradient descent is not shown the documents: it starts from zero."
draw = by_documents.draw
NEEDS_POINTS = True
BANDS = True
CONTROLS = reaches_descent(), flat(TRAINED)

TEXT = "section 3, multiple-step training"  # the place in RAG-GD
PARTS = {"layers_2": "2 layers", "layers_5": "5 layers"}
SAME = 0.05


def loss_differences_are_alike(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for part, layers in PARTS.items():
        differences = along(directory, part, LOSS)
        descent = along(directory, part, f"loss.{GD}")
        for step in list(differences)[1:]:
            conditions += [
                within(f"{layers}, step {text(step)}, {text(count)} documents", share, SAME)
                for count, share in from_the_mean(differences[step], mean(list(descent[step].values()))).items()
            ]
    return conditions


def prediction_differences_become_similar(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for part, layers in PARTS.items():
        differences = along(directory, part, PREDICTION)
        untrained, *_, step = differences
        shares = from_the_mean(differences[step], mean(list(differences[untrained].values())))
        place = f"{layers}, step {text(step)}"
        conditions += [within(f"{place}, {text(count)} documents", share, SAME) for count, share in shares.items()]
    return conditions


def gap(directory: RunDirectory, part: str) -> tuple[str, Estimate]:
    """Return the last step in words, and how much larger the prediction difference is there at 25 documents than at 2.

    Raises:
        NotMeasured: the table lacks 2 or 25 documents.
    """
    differences = along(directory, part, PREDICTION)
    step = list(differences)[-1]
    if not {2.0, 25.0} <= differences[step].keys():
        raise NotMeasured(f"{part} lacks 2 or 25 documents")
    return f"step {text(step)}", differences[step][25.0] - differences[step][2.0]


def more_documents_differ_more(directory: RunDirectory) -> list[Condition]:
    step, difference = gap(directory, "layers_2")
    return [above(f"prediction difference at 25 documents - at 2, {step}", difference)]


def less_so_with_depth(directory: RunDirectory) -> list[Condition]:
    (step, shallow), (_, deep) = (gap(directory, part) for part in PARTS)
    return [above(f"gap at 2 layers - gap at 5 layers, {step}", shallow - deep)]


def at_end(directory: RunDirectory) -> dict[str, list[Row]]:
    """Return {"2 layers, 5 documents": the rows of seeds.csv on the test episodes}.

    Raises:
        NotMeasured: the table lacks one of the depths.
    """
    rows = rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test"})
    return {
        f"{layers}, {text(count)} documents": group
        for part, layers in PARTS.items()
        for count, group in group_by(rows_where(rows, {"part": part}), "num_documents").items()
    }


def corrects_for_curvature(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for place, rows in at_end(directory).items():
        corrected, plain = (
            estimate(rows_where(rows, {Seeds.LEARNER: name}), Metric.COSINE) for name in ("gd_plus_plus", GD)
        )
        conditions.append(above(f"{place}: cosine with GD++ - with gradient descent", corrected - plain))
    return conditions


def converges_alike(directory: RunDirectory) -> list[Condition]:
    name = "%s: trained / gradient descent - 1"
    return [within(name % place, excess(rows), SAME) for place, rows in at_end(directory).items()]


CLAIMS = (
    Claim(
        statement="Loss differences from gradient descent are alike for all numbers of documents.",
        source=said(Work.RAG_GD, TEXT, "remain closely aligned across different document numbers"),
        criterion="at a quarter, half and the end of training, each count's loss difference is within 5% of gradient "
        "descent's loss of the mean over the counts",
        judge=loss_differences_are_alike,
    ),
    Claim(
        statement="Prediction differences converge to similar values for all numbers of documents.",
        source=said(Work.RAG_GD, TEXT, "also converge to similar values"),
        criterion="at the end, each count's prediction difference is within 5% of the untrained model's of the mean "
        "over the counts",
        judge=prediction_differences_become_similar,
    ),
    Claim(
        statement="At 2 layers the prediction difference at 2 documents is below that at 25.",
        source=said(Work.RAG_GD, TEXT, "at Docs=2 is smaller than at Docs=25"),
        criterion="at the end, the difference of the two, paired by seed, is above zero",
        judge=more_documents_differ_more,
    ),
    Claim(
        statement="At 5 layers that gap is smaller.",
        source=said(Work.RAG_GD, TEXT, "becomes less pronounced as the model depth increases"),
        criterion="at the end, the gap at 2 layers less that at 5, paired by seed, is above zero",
        judge=less_so_with_depth,
    ),
    Claim(
        statement="Several layers correct for curvature: they point where GD++ does, and less where gradient descent "
        "does.",
        source=stronger(Work.RAG_GD, "section 1, contributions", "iteratively approximate curvature correction"),
        criterion="at the end, at each depth and count, the mean cosine of the sensitivities with GD++ is above that "
        "with gradient descent; the source does not name GD++",
        judge=corrects_for_curvature,
    ),
    Claim(
        statement="Several layers converge as far as gradient descent of as many steps does.",
        source=stronger(Work.RAG_GD, "section 1, contributions", "in terms of convergence properties"),
        criterion="at the end, at each depth and count, trained loss / that of gradient descent - 1 is within 5%; the "
        "source says that the trajectories are close, and gives no measure",
        judge=converges_alike,
    ),
)
