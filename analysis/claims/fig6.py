"""[RAG-GD] figure 6: Calories and white Wine, a non-linear model, four normalisations."""

from analysis.claims.by_normalization import COSINE, LOSS, MEAN, MINMAX_IS_UNSTABLE, at_the_end, minmax_is_unstable
from analysis.claims.claim import Claim, Verdict
from lab.runs.directory import RunDirectory

SOURCE = "RAG-GD, figure 6"


def equivalence(directory: RunDirectory) -> Verdict:
    measured, holds = {}, True
    for name, row in at_the_end(directory, "calories").items():
        share = row[LOSS] / row[MEAN]
        measured |= {f"cosine, {name}": row[COSINE], f"loss difference / loss of the mean, {name}": share}
        holds &= row[COSINE] > 0.95 and abs(share) < 0.1
    return measured, holds


CLAIMS = (
    Claim(
        statement="Calories: the equivalence with gradient descent on learned features holds.",
        source=SOURCE,
        criterion="at the end, with every normalisation, the cosine exceeds 0.95 and the losses differ by less than a "
        "tenth of the loss of predicting the mean",
        judge=equivalence,
        points="data=calories",
    ),
    Claim(
        statement="Wine: min-max makes the alignment unstable.",
        source=SOURCE,
        criterion=MINMAX_IS_UNSTABLE,
        judge=lambda directory: minmax_is_unstable(directory, "wine"),
        points="data=wine",
    ),
)
