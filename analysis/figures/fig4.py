"""Figure 4 of RAG-GD: Bike Sharing and California Housing, a non-linear model, four normalisations."""

from analysis.figures import by_normalization
from analysis.figures import normalization_claims as judges
from analysis.figures.claim import Claim

CAPTION, draw = by_normalization.CAPTION, by_normalization.draw
NEEDS_POINTS = True
BANDS = True

SOURCE = "RAG-GD, figure 4"
LAB = "this lab, on figure 4 of RAG-GD"

CLAIMS = (
    Claim(
        statement="Bike: with min-max the trained Transformer's performance comes close to that of RAG.",
        source=SOURCE,
        criterion="at the end the losses differ by less than a tenth of the loss of predicting the mean, and by less "
        "than with any other normalisation",
        judge=lambda directory: judges.performs_like_rag(directory, "bike"),
        points="data=bike",
    ),
    Claim(
        statement="Bike: with min-max its predictions change with the query in the direction in which RAG's change.",
        source=SOURCE,
        criterion="at the end min-max has a cosine above 0.99, and the highest of all normalisations",
        judge=lambda directory: judges.points_like_rag(directory, "bike"),
        points="data=bike",
    ),
    Claim(
        statement="Bike: z-score is less effective than min-max.",
        source=SOURCE,
        criterion="at the end the loss and the predictions are farther from RAG's with z-score than with min-max",
        judge=lambda directory: judges.zscore_is_less_effective(directory, "bike"),
        points="data=bike",
    ),
    Claim(
        statement="California: with min-max the alignment becomes unstable as training progresses.",
        source=SOURCE,
        criterion="along min-max's curve, the cosine at the end is below its highest, and the model difference above "
        "its smallest",
        judge=lambda directory: judges.worsens_in_training(directory, "california"),
        points="data=california",
    ),
    Claim(
        statement="California: min-max is the least aligned normalisation.",
        source=SOURCE,
        criterion="at the end min-max has the lowest cosine and the largest model difference, each in the inputs of "
        "its own run, as the paper measures them",
        judge=lambda directory: judges.minmax_is_worst(directory, "california"),
        points="data=california",
    ),
    Claim(
        statement="California: that is so by the units alone; in z-scored inputs min-max aligns better than z-score.",
        source=LAB,
        criterion="at the end, by gradients in z-scored inputs, its cosine is higher and its model difference smaller",
        judge=lambda directory: judges.minmax_aligns_better_in_z(directory, "california"),
        points="data=california",
    ),
    Claim(
        statement="California: with min-max the predictions are farthest from RAG's.",
        source=LAB,
        criterion="at the end min-max has the largest prediction difference, which has no coordinates",
        judge=lambda directory: judges.predictions_are_farthest(directory, "california"),
        points="data=california",
    ),
    Claim(
        statement="California: min-max compresses the samples into a narrow interval.",
        source=SOURCE,
        criterion="in more than half of the columns, the middle 90% of the training rows lie in less than a fifth of "
        "[0, 1]",
        judge=lambda directory: judges.samples_are_compressed(directory, "california"),
        points="data=california",
    ),
)
