"""Figure 3 of RAG-GD: the dot-product retriever at 2 and 5 recurrent layers."""

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, above, mean, within
from analysis.figures.measures import GD, from_the_mean
from analysis.tables.select import NotMeasured, text
from experiments.comparison.drawing import by_documents
from experiments.comparison.drawing.by_documents import LOSS, PREDICTION, along
from lab.runs.directory import RunDirectory

CAPTION = f"{by_documents.CAPTION} Gradient descent is not shown the documents: it starts from zero."
draw = by_documents.draw
NEEDS_POINTS = True
BANDS = True

SOURCE = "RAG-GD, figure 3"
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


CLAIMS = (
    Claim(
        statement="Loss differences from gradient descent stay aligned for all numbers of documents.",
        source=SOURCE,
        criterion="at a quarter, half and the end of training, each count's loss difference is within 5% of gradient "
        "descent's loss of the mean over the counts",
        judge=loss_differences_are_alike,
    ),
    Claim(
        statement="Prediction differences converge to similar values for all numbers of documents.",
        source=SOURCE,
        criterion="at the end, each count's prediction difference is within 5% of the untrained model's of the mean "
        "over the counts",
        judge=prediction_differences_become_similar,
    ),
    Claim(
        statement="At 2 layers the prediction difference at 2 documents is below that at 25.",
        source=SOURCE,
        criterion="at the end, the difference of the two, paired by seed, is above zero",
        judge=more_documents_differ_more,
    ),
    Claim(
        statement="At 5 layers that gap is smaller.",
        source=SOURCE,
        criterion="at the end, the gap at 2 layers less that at 5, paired by seed, is above zero",
        judge=less_so_with_depth,
    ),
)
