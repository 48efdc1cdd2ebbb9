"""Figure 6 of RAG-GD: Calories and white Wine, a non-linear model, four normalisations."""

from analysis.figures import by_normalization
from analysis.figures import normalization_claims as judges
from analysis.figures.claim import Claim

CAPTION, draw = by_normalization.CAPTION, by_normalization.draw
NEEDS_POINTS = True
BANDS = True

SOURCE = "RAG-GD, figure 6"

CLAIMS = (
    Claim(
        statement="Calories: the equivalence with gradient descent on learned features holds.",
        source=SOURCE,
        criterion="at the end, with every normalisation, the cosine is above 0.95 and the losses differ by less than a "
        "tenth of the loss of predicting the mean",
        judge=lambda directory: judges.equivalence(directory, "calories"),
        points="data=calories",
    ),
    Claim(
        statement="Wine: with min-max the alignment becomes unstable as training progresses.",
        source=SOURCE,
        criterion="along min-max's curve, the cosine at the end is below its highest, and the model difference above "
        "its smallest",
        judge=lambda directory: judges.worsens_in_training(directory, "wine"),
        points="data=wine",
    ),
    Claim(
        statement="Wine: min-max is the least aligned normalisation.",
        source=SOURCE,
        criterion="at the end min-max has the lowest cosine and the largest model difference, each in the inputs of "
        "its own run, as the paper measures them",
        judge=lambda directory: judges.minmax_is_worst(directory, "wine"),
        points="data=wine",
    ),
    Claim(
        statement="Wine: the same in z-scored inputs, which are common to all normalisations.",
        source="this lab, on figure 6 of RAG-GD",
        criterion="at the end min-max has the lowest cosine and the largest model difference, by gradients in z-scored "
        "inputs",
        judge=lambda directory: judges.minmax_is_worst(directory, "wine", "_z"),
        points="data=wine",
    ),
    Claim(
        statement="Wine: with min-max the prediction difference fluctuates in training.",
        source=SOURCE,
        criterion="in the second half of training its mean change between evaluations, relative to its size, is larger "
        "than with any other normalisation",
        judge=lambda directory: judges.predictions_fluctuate(directory, "wine"),
        points="data=wine",
    ),
    Claim(
        statement="Normalising the inputs improves generalisation.",
        source="RAG-GD, section on normalisation",
        criterion="test loss less training loss is smaller with a normalisation than without one",
        judge=judges.without_normalization,
    ),
)
