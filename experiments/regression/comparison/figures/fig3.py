"""Figure 3 of RAG-GD: the dot-product retriever at 2 and 5 recurrent layers."""

from analysis.figures.cited import Work, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.controls import flat
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.results.column import FIRST, LAST, nearest
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Every
from experiments.regression.comparison import results
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import against_step

CAPTION = f"{against_step.BY_DOCUMENTS} Gradient descent is not shown the documents: it starts from zero."
draw = against_step.by_documents
NEEDS_POINTS = True
BANDS = True
CONTROLS = reaches_descent(), flat(LOSS)

TEXT, CONTRIBUTIONS = "section 3, multiple-step training", "section 1, contributions"  # places in RAG-GD
PARTS = ("layers_2", "layers_5")
SAME = 0.05
losses, predictions = (
    results.in_training(metric, GD, results.DOCUMENTS) for metric in (Metric.LOSS_DIFFERENCE, Metric.PREDICTION_L2)
)


def losses_are_alike(part: str) -> Bounds | Every:
    def at(share: float) -> Bounds:
        differences, descent = (each.where(part=part, step=nearest(share)) for each in (losses, results.training_loss))
        return differences.along(results.DOCUMENTS).from_mean(descent.along(results.DOCUMENTS, GD)).within(SAME)

    return results.for_each(results.QUARTERS, at)


def predictions_are_alike(part: str) -> Bounds:
    end, untrained = (predictions.where(part=part, step=step).along(results.DOCUMENTS) for step in (LAST, FIRST))
    return end.from_mean(untrained).within(SAME)


def points_as_gd_plus_plus(part: str) -> Bounds:
    corrected, plain = (
        results.cosine.where(part=part).along(results.DOCUMENTS, other) for other in ("gd_plus_plus", GD)
    )
    return corrected - plain > 0


def converges_as_far(part: str) -> Bounds:
    trained, descent = (
        results.loss.where(part=part).along(results.DOCUMENTS, learner) for learner in (results.TRAINED, GD)
    )
    return (trained / descent - 1).within(SAME)


two_layers = predictions.where(part="layers_2", step=LAST)
CLAIMS = (
    Claim(
        "Differences from gradient descent, of losses and of predictions, are alike for all numbers of documents.",
        said(Work.RAG_GD, TEXT, "remain closely aligned across different document numbers"),
        "at a quarter, half and the end of training, each count's loss difference is within 5% of gradient descent's "
        "loss of the mean over the counts; at the end, each count's prediction difference is within 5% of the "
        "untrained model's of the mean over the counts",
        results.for_each(PARTS, losses_are_alike) & results.for_each(PARTS, predictions_are_alike),
    ),
    claim(
        "At 2 layers the prediction difference at 2 documents is below that at 25.",
        said(Work.RAG_GD, TEXT, "at Docs=2 is smaller than at Docs=25"),
        two_layers[25] - two_layers[2] > 0,
    ),
    claim(
        "Several layers correct for curvature: they point where GD++ does, and less where gradient descent does.",
        stronger(Work.RAG_GD, CONTRIBUTIONS, "iteratively approximate curvature correction"),
        results.for_each(PARTS, points_as_gd_plus_plus),
        "the source does not name GD++",
    ),
    claim(
        "Several layers converge as far as gradient descent of as many steps does.",
        stronger(Work.RAG_GD, CONTRIBUTIONS, "in terms of convergence properties"),
        results.for_each(PARTS, converges_as_far),
        "the source says that the trajectories are close, and gives no measure",
    ),
)
