"""Figure 6 of RAG-GD: Calories and white Wine, a non-linear model, four normalisations."""

import functools

from analysis.figures.claim import Claim
from experiments.comparison.claims import normalization_judges as judges
from experiments.comparison.claims.normalization import claim_about, minmax_becomes_unstable, minmax_is_least_aligned
from experiments.comparison.drawing import by_normalization

CAPTION, draw = by_normalization.CAPTION, by_normalization.draw
NEEDS_POINTS = True
BANDS = True

SOURCE = "RAG-GD, figure 6"
calories, wine = (functools.partial(claim_about, data) for data in ("calories", "wine"))

CLAIMS = (
    calories(
        "the equivalence with gradient descent on learned features holds.",
        SOURCE,
        "at the end, with every normalisation, the cosine is above 0.95 and the losses differ by less than a tenth of "
        "the loss of predicting the mean",
        judges.equivalence,
    ),
    minmax_becomes_unstable("wine", SOURCE),
    minmax_is_least_aligned("wine", SOURCE),
    wine(
        "the same in z-scored inputs, which are common to all normalisations.",
        "this lab, on figure 6 of RAG-GD",
        "at the end min-max has the lowest cosine and the largest model difference, by gradients in z-scored inputs",
        judges.minmax_is_worst,
        coordinates="_z",
    ),
    wine(
        "with min-max the prediction difference fluctuates in training.",
        SOURCE,
        "in the second half of training its mean change between evaluations, relative to its size, is larger than with "
        "any other normalisation",
        judges.predictions_fluctuate,
    ),
    Claim(
        statement="Normalising the inputs improves generalisation.",
        source="RAG-GD, section on normalisation",
        criterion="test loss less training loss is smaller with a normalisation than without one",
        judge=judges.without_normalization,
    ),
)
