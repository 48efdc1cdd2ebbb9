"""What figures 4 and 6 of [RAG-GD] measure: the Transformer against gradient descent on learned features ("RAG")."""

from analysis.tables.select import NotMeasured, Row, at, column
from lab.runs.directory import RunDirectory
from tasks.datasets.settings import Normalization

RAG = "learned_descent"
COSINE, MODEL, LOSS = (f"{RAG}.{metric}" for metric in ("sensitivity_cosine", "sensitivity_l2", "loss_difference"))

MEAN = "loss.mean"
USED = (COSINE, MODEL, LOSS, MEAN)


def at_the_end(directory: RunDirectory, data: str) -> dict[str, Row]:
    """{normalisation: the row of a data set in points.csv}.

    Raises:
        NotMeasured: the data set or one of the normalisations is not there.
    """
    rows = directory.read_table("points")
    if "data" in rows[0]:
        rows = at(rows, data=data)
    elif directory.read_config()["data"]["name"] != data:
        raise NotMeasured(data)
    normalization = column(rows, "normalization")
    found = {row[normalization]: row for row in rows}
    if missing := {how.name for how in Normalization} - set(found):
        raise NotMeasured(missing)
    return found


def minmax_is_unstable(directory: RunDirectory, data: str) -> tuple[dict[str, float], bool]:
    """Whether min-max has the lowest cosine and the highest model difference of all normalisations."""
    found = at_the_end(directory, data)
    cosines, differences = ({name: row[metric] for name, row in found.items()} for metric in (COSINE, MODEL))
    measured = {f"cosine, {name}": value for name, value in cosines.items()}
    measured |= {f"model difference, {name}": value for name, value in differences.items()}
    return measured, min(cosines, key=cosines.get) == "minmax" == max(differences, key=differences.get)


MINMAX_IS_UNSTABLE = "at the end min-max has the lowest cosine and the largest model difference of all normalisations"
