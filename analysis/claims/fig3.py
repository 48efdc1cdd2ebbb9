"""[RAG-GD] figure 3: the dot-product retriever at 2 and 5 recurrent layers."""

from analysis.claims.claim import Claim, Verdict
from analysis.claims.depth import ends
from analysis.tables import values
from lab.run_directory import RunDirectory

PREDICTION = "gradient_descent.prediction_l2"


def shrink(directory: RunDirectory) -> Verdict:
    shares = {}
    for part in values(directory.read_table("curves"), "part"):
        for metric in (PREDICTION, "gradient_descent.sensitivity_l2"):
            for documents, (first, last) in ends(directory, metric, part).items():
                shares[f"{part}, {documents:g} documents, {metric.split('.')[1]}"] = last / first
    return shares, all(share < 1 for share in shares.values())


def gap(directory: RunDirectory, part: str) -> tuple[float, float, float]:
    """The prediction difference at the fewest and at the most documents, and how much larger the second is."""
    found = ends(directory, PREDICTION, part)
    few, many = found[min(found)][1], found[max(found)][1]
    return few, many, many - few


def more_documents_differ_more(directory: RunDirectory) -> Verdict:
    few, many, more = gap(directory, "layers_2")
    return {"fewest documents": few, "most documents": many, "difference": more}, more > 0


def less_so_with_depth(directory: RunDirectory) -> Verdict:
    shallow, deep = gap(directory, "layers_2")[2], gap(directory, "layers_5")[2]
    return {"2 layers": shallow, "5 layers": deep}, abs(deep) < abs(shallow)


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
        criterion="at the end, fewest documents against most",
        judge=more_documents_differ_more,
    ),
    Claim(
        statement="At 5 layers that gap is smaller.",
        source="RAG-GD, figure 3",
        criterion="|gap| at 5 layers < |gap| at 2 layers, at the end",
        judge=less_so_with_depth,
    ),
)
