"""Figure 4 of RAG-GD: Bike Sharing and California Housing, a non-linear model, four normalisations."""

from analysis.figures import by_normalization
from analysis.figures.by_normalization import COSINE, MINMAX_IS_UNSTABLE, final_rows, minmax_is_unstable
from analysis.figures.claim import Claim, Verdict
from lab.runs.directory import RunDirectory

CAPTION, draw = by_normalization.CAPTION, by_normalization.draw
NEEDS_POINTS = True
BANDS = True

SOURCE = "RAG-GD, figure 4"


def minmax_is_close(directory: RunDirectory) -> Verdict:
    cosines = {name: row[COSINE] for name, row in final_rows(directory, "bike").items()}
    holds = cosines["minmax"] >= 0.99 and max(cosines, key=cosines.get) == "minmax"
    return {f"cosine, {name}": value for name, value in cosines.items()}, holds


CLAIMS = (
    Claim(
        statement="Bike: min-max brings the trained Transformer close to gradient descent on learned features.",
        source=SOURCE,
        criterion="at the end min-max has a cosine of at least 0.99, and the highest of all normalisations",
        judge=minmax_is_close,
        points="data=bike",
    ),
    Claim(
        statement="California: min-max makes the alignment unstable.",
        source=SOURCE,
        criterion=MINMAX_IS_UNSTABLE,
        judge=lambda directory: minmax_is_unstable(directory, "california"),
        points="data=california",
    ),
)
