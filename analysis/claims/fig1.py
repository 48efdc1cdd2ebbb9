"""[RAG-GD] figure 1: one layer, without documents and with both retrievers, against the training step."""

from analysis.claims.claim import Claim, Verdict
from analysis.tables.select import name
from lab.runs.directory import RunDirectory


def same_loss(directory: RunDirectory) -> Verdict:
    ratios = {
        name(row, "part"): row["loss.transformer"] / row["loss.gradient_descent"] - 1
        for row in directory.read_table("points")
    }
    return ratios, all(abs(ratio) <= 0.01 for ratio in ratios.values())


def same_direction(directory: RunDirectory) -> Verdict:
    cosines = {name(row, "part"): row["gradient_descent.sensitivity_cosine"] for row in directory.read_table("points")}
    return cosines, all(cosine > 0.99 for cosine in cosines.values())


def distances_vanish(directory: RunDirectory) -> Verdict:
    curves, left = directory.read_table("curves"), {}
    for row in directory.read_table("points"):
        mine = [other for other in curves if other["part"] == row["part"]]
        first = min(other["step"] for other in mine)
        for metric in ("prediction_l2", "sensitivity_l2"):
            start = [other[f"gradient_descent.{metric}"] for other in mine if other["step"] == first]
            end = row[f"gradient_descent.{metric}"]
            left[f"{name(row, 'part')}, {metric}"] = end / (sum(start) / len(start))
    return left, all(share <= 0.1 for share in left.values())


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
        criterion="at the end, each mean L2 difference is at most a tenth of the untrained model's",
        judge=distances_vanish,
    ),
)
