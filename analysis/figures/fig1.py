"""Figure 1 of RAG-GD, one layer without documents and with both retrievers: one column per task; losses above,
alignment with gradient descent below, against the training step."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.claim import Claim, Verdict
from analysis.tables.select import NotMeasured, label, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "One column per task: losses above, the trained Transformer's alignment with gradient descent below, against "
    "the training step."
)
NEEDS_POINTS = True
BANDS = True


def draw(directory: RunDirectory) -> Figure:
    parts = directory.points()
    if not parts:
        raise NotMeasured("no point is done")
    figure, axes = style.panels(2, len(parts), width=4 * len(parts), height=6)
    for (name, part), above, below in zip(parts.items(), *axes, strict=True):
        style.losses(above, part)
        cosine = style.alignment(below, part)
        above.set_title(name)
    style.legend(above, below, cosine)
    return figure


def same_loss(directory: RunDirectory) -> Verdict:
    ratios = {
        label(row, "part"): row["loss.transformer"] / row["loss.gradient_descent"] - 1
        for row in table(directory, "points")
    }
    return ratios, all(abs(ratio) <= 0.01 for ratio in ratios.values())


def same_direction(directory: RunDirectory) -> Verdict:
    cosines = {label(row, "part"): row["gradient_descent.sensitivity_cosine"] for row in table(directory, "points")}
    return cosines, all(cosine > 0.99 for cosine in cosines.values())


def distances_vanish(directory: RunDirectory) -> Verdict:
    curves, shares = table(directory, "curves"), {}
    for row in table(directory, "points"):
        curve = [other for other in curves if other["part"] == row["part"]]
        if not curve:
            raise NotMeasured(f"no curve of {row['part']}")
        first = min(other["step"] for other in curve)
        for metric in ("prediction_l2", "sensitivity_l2"):
            start = [other[f"gradient_descent.{metric}"] for other in curve if other["step"] == first]
            end = row[f"gradient_descent.{metric}"]
            shares[f"{label(row, 'part')}, {metric}"] = end / (sum(start) / len(start))
    return shares, all(share <= 0.1 for share in shares.values())


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
