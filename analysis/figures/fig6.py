"""Figure 6 of RAG-GD: Calories and white Wine, a non-linear model, four normalisations."""

from analysis.figures import by_normalization
from analysis.figures.by_normalization import (
    COSINE,
    LOSS_DIFFERENCE,
    MEAN,
    MINMAX_IS_UNSTABLE,
    final_rows,
    minmax_is_unstable,
)
from analysis.figures.claim import Claim, Verdict
from lab.runs.directory import RunDirectory

CAPTION, draw = by_normalization.CAPTION, by_normalization.draw
NEEDS_POINTS = True
BANDS = True

SOURCE = "RAG-GD, figure 6"


def equivalence(directory: RunDirectory) -> Verdict:
    measured, holds = {}, True
    for name, row in final_rows(directory, "calories").items():
        share = row[LOSS_DIFFERENCE] / row[MEAN]
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
