"""Appendix B of RAG-GD: a non-linear retriever, at 2 and 5 recurrent layers.

Documents stand beside the inputs of every token, and both go through an MLP in front of the linear layers. The paper's
RAG is taken as gradient descent on learned features, which are trained for it on the same episodes, as in figure 4.
"""

from matplotlib.figure import Figure

from analysis.figures.cited import Work, said, stronger
from analysis.figures.controls import Control, each_seed, flat
from analysis.metrics.columns import Metric
from analysis.results.column import LAST
from analysis.results.declared import claim
from analysis.results.quantity import Bounds
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import against_step
from experiments.regression.comparison.results import DOCUMENTS, RAG, grows_with_documents, in_training
from lab.runs.directory import RunDirectory

CAPTION = (
    "Differences between the trained Transformer and gradient descent on learned features (RAG) against the training "
    "step, one line per number of documents, which stand beside the inputs and go with them through an MLP."
)
NEEDS_POINTS = True
BANDS = True
DEPTHS = (2, 5)
FEWEST, MOST = 2, 15


def draw(directory: RunDirectory) -> Figure:
    return against_step.by_documents(directory, RAG)


def controls(layers: int) -> tuple[Control, ...]:
    """Return the controls that both sides have learned the task at this depth, and are at the end of training."""
    part = f"layers_{layers}"
    losses = (LOSS, f"loss.{RAG}")
    return tuple(
        control
        for loss in losses
        for control in (
            *each_seed(reaches_descent(loss, part=part), date="28 November 2026"),
            flat(loss, part=part),
        )
    )


def is_larger_with_most(part: str) -> Bounds:
    """Return the bound of the distance from RAG at the most documents, less that at the fewest, at the end."""
    distance = in_training(Metric.PREDICTION_L2, RAG, DOCUMENTS).where(part=part, step=LAST)
    return distance[MOST] - distance[FEWEST] > 0


CLAIMS = tuple(
    each
    for layers, part in ((layers, f"layers_{layers}") for layers in DEPTHS)
    for each in (
        claim(
            f"At {layers} layers the discrepancy from RAG is larger with {MOST} documents of a non-linear retriever "
            f"than with {FEWEST}.",
            said(Work.RAG_GD, "appendix B", "amplifying the discrepancy between ICL and RAG"),
            is_larger_with_most(part),
            points=part,
            controls=controls(layers),
        ),
        claim(
            f"At {layers} layers it grows with every further number of documents, throughout the training.",
            stronger(Work.RAG_GD, "appendix B", "accumulate as the number of documents increases"),
            grows_with_documents(RAG, part),
            points=part,
            controls=controls(layers),
        ),
    )
)
