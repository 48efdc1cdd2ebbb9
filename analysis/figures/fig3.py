"""Figure 3 of RAG-GD: the dot-product retriever at 2 and 5 recurrent layers."""

from analysis.figures import by_documents
from analysis.figures.by_documents import PREDICTION, difference, final_differences, first_and_last
from analysis.figures.claim import Claim, Verdict
from analysis.tables.select import NotMeasured, distinct, table
from lab.runs.directory import RunDirectory

CAPTION, draw = by_documents.CAPTION, by_documents.draw
NEEDS_POINTS = True
BANDS = True


def shrink(directory: RunDirectory) -> Verdict:
    shares = {}
    for part in distinct(table(directory, "curves"), "part"):
        for metric in (PREDICTION, "gradient_descent.sensitivity_l2"):
            for documents, (first, last) in first_and_last(directory, metric, part).items():
                shares[f"{part}, {documents:g} documents, {metric.split('.')[1]}"] = last / first
    return shares, all(share < 1 for share in shares.values())


def gap(directory: RunDirectory, part: str) -> tuple[float, float]:
    """How much larger the prediction difference is at 25 documents than at 2, with its error.

    Raises:
        NotMeasured: one of the two counts is not there.
    """
    differences = final_differences(directory, part)
    if not {2.0, 25.0} <= differences.keys():
        raise NotMeasured(f"{part} lacks 2 or 25 documents")
    return difference(differences[25.0], differences[2.0])


def more_documents_differ_more(directory: RunDirectory) -> Verdict:
    differences = final_differences(directory, "layers_2")
    more, error = gap(directory, "layers_2")
    measured = {f"{count:g} documents": value for count, (value, _) in differences.items()}
    return measured | {"gap": more, "its standard error": error}, more > 2 * error


def less_so_with_depth(directory: RunDirectory) -> Verdict:
    (shallow, error_2), (deep, error_5) = (gap(directory, part) for part in ("layers_2", "layers_5"))
    less, error = difference((abs(shallow), error_2), (abs(deep), error_5))
    measured = {"gap at 2 layers": shallow, "gap at 5 layers": deep, "standard error of their difference": error}
    return measured, less > 2 * error


CLAIMS = (
    Claim(
        statement="The differences from gradient descent shrink in training.",
        source="RAG-GD, figure 3",
        criterion="prediction and sensitivity differences are smaller at the end than before training, for every count",
        judge=shrink,
    ),
    Claim(
        statement="At 2 layers the prediction difference at 2 documents is below that at 25.",
        source="RAG-GD, figure 3",
        criterion="at the end, 2 documents against 25, by more than two standard errors",
        judge=more_documents_differ_more,
    ),
    Claim(
        statement="At 5 layers that gap is smaller.",
        source="RAG-GD, figure 3",
        criterion="|gap| at 5 layers < |gap| at 2 layers at the end, by more than two standard errors",
        judge=less_so_with_depth,
    ),
)
