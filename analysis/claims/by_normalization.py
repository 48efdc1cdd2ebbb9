"""What figures 4 and 6 of [RAG-GD] measure: the Transformer against gradient descent on learned features ("RAG")."""

from analysis.tables import Row, at, column
from lab.run_directory import RunDirectory

RAG = "learned_descent"
COSINE, MODEL, LOSS = (f"{RAG}.{metric}" for metric in ("sensitivity_cosine", "sensitivity_l2", "loss_difference"))


def at_the_end(directory: RunDirectory, data: str) -> dict[str, Row]:
    """{normalisation: the row of a data set in points.csv}."""
    rows = at(directory.read_table("points"), data=data)
    normalization = column(rows, "normalization")
    return {row[normalization]: row for row in rows}


def minmax_is_unstable(directory: RunDirectory, data: str) -> tuple[dict[str, float], bool]:
    """Whether min-max has the lowest cosine and the highest model difference of all normalisations."""
    found = at_the_end(directory, data)
    cosines, differences = ({name: row[metric] for name, row in found.items()} for metric in (COSINE, MODEL))
    measured = {f"cosine, {name}": value for name, value in cosines.items()}
    measured |= {f"model difference, {name}": value for name, value in differences.items()}
    return measured, min(cosines, key=cosines.get) == "minmax" == max(differences, key=differences.get)


MINMAX_IS_UNSTABLE = "at the end min-max has the lowest cosine and the largest model difference of all normalisations"
