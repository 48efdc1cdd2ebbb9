"""Figure 4 of RAG-GD: Bike Sharing and California Housing, a non-linear model, four normalisations."""

import functools

from experiments.comparison.claims import normalization_judges as judges
from experiments.comparison.claims.normalization import claim_about, minmax_becomes_unstable, minmax_is_least_aligned
from experiments.comparison.drawing import by_normalization

CAPTION, draw = by_normalization.CAPTION, by_normalization.draw
NEEDS_POINTS = True
BANDS = True

SOURCE = "RAG-GD, figure 4"
LAB = "this lab, on figure 4 of RAG-GD"
bike, california = (functools.partial(claim_about, data) for data in ("bike", "california"))

CLAIMS = (
    bike(
        "with min-max the trained Transformer's performance comes close to that of RAG.",
        SOURCE,
        "at the end the losses differ by less than a tenth of the loss of predicting the mean, and by less than with "
        "any other normalisation",
        judges.performs_like_rag,
    ),
    bike(
        "with min-max its predictions change with the query in the direction in which RAG's change.",
        SOURCE,
        "at the end min-max has a cosine above 0.99, and the highest of all normalisations",
        judges.points_like_rag,
    ),
    bike(
        "z-score is less effective than min-max.",
        SOURCE,
        "at the end the loss and the predictions are farther from RAG's with z-score than with min-max",
        judges.zscore_is_less_effective,
    ),
    minmax_becomes_unstable("california", SOURCE),
    minmax_is_least_aligned("california", SOURCE),
    california(
        "that is so by the units alone; in z-scored inputs min-max aligns better than z-score.",
        LAB,
        "at the end, by gradients in z-scored inputs, its cosine is higher and its model difference smaller",
        judges.minmax_aligns_better_in_z,
    ),
    california(
        "with min-max the predictions are farthest from RAG's.",
        LAB,
        "at the end min-max has the largest prediction difference, which has no coordinates",
        judges.predictions_are_farthest,
    ),
    california(
        "min-max compresses the samples into a narrow interval.",
        SOURCE,
        "in more than half of the columns, the middle 90% of the training rows lie in less than a fifth of [0, 1]",
        judges.samples_are_compressed,
    ),
)
