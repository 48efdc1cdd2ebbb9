"""What figures 4 and 6 of RAG-GD share: one row per data set, one line per normalisation of the inputs; differences
from gradient descent on learned features (the paper's "RAG"), and its own training loss, against the step."""

from matplotlib.figure import Figure

from analysis.figures import against_step
from analysis.tables.select import NotMeasured, Row, column, rows_where, table
from lab.runs.directory import RunDirectory
from tasks.datasets.settings import Normalization

CAPTION = (
    "The trained Transformer's differences from gradient descent on learned features (RAG), and the training loss of "
    "the latter, against the training step; one line per normalisation of the inputs."
)

RAG = "learned_descent"
LOSS, *OTHERS = against_step.METRICS
PANELS = {
    f"{RAG}.{LOSS}": against_step.METRICS[LOSS],
    f"train_loss.{RAG}": "RAG training loss",
    **{f"{RAG}.{metric}": against_step.METRICS[metric] for metric in OTHERS},
}
NORMALIZATIONS = {  # Okabe and Ito's colours
    "zscore": ("z-score", "#0072B2"),
    "minmax": ("min-max", "#D55E00"),
    "rank": ("rank", "#009E73"),
    "tanh": ("tanh", "#CC79A7"),
}
COSINE, MODEL, LOSS_DIFFERENCE = (
    f"{RAG}.{metric}" for metric in ("sensitivity_cosine", "sensitivity_l2", "loss_difference")
)
MEAN = "loss.mean"
USED = (COSINE, MODEL, LOSS_DIFFERENCE, MEAN)  # the columns of points.csv that the claims are judged by


def draw(directory: RunDirectory) -> Figure:
    return against_step.draw(directory, "data", "normalization", PANELS, lambda _, name: NORMALIZATIONS[name])


def final_rows(directory: RunDirectory, data: str) -> dict[str, Row]:
    """{normalisation: the row of a data set in points.csv}.

    Raises:
        NotMeasured: the data set or one of the normalisations is not there.
    """
    rows = rows_where(table(directory, "points"), data=data)
    normalization = column(rows, "normalization")
    by_name = {row[normalization]: row for row in rows}
    if missing := {how.name for how in Normalization} - set(by_name):
        raise NotMeasured(f"{data} lacks {', '.join(sorted(missing))}")
    return by_name


def minmax_is_unstable(directory: RunDirectory, data: str) -> tuple[dict[str, float], bool]:
    """Whether min-max has the lowest cosine and the highest model difference of all normalisations."""
    rows = final_rows(directory, data)
    cosines, differences = ({name: row[metric] for name, row in rows.items()} for metric in (COSINE, MODEL))
    measured = {f"cosine, {name}": value for name, value in cosines.items()}
    measured |= {f"model difference, {name}": value for name, value in differences.items()}
    return measured, min(cosines, key=cosines.get) == "minmax" == max(differences, key=differences.get)


MINMAX_IS_UNSTABLE = "at the end min-max has the lowest cosine and the largest model difference of all normalisations"
