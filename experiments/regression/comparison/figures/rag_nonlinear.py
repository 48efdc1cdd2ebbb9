"""Appendix B of RAG-GD: a non-linear retriever, at 2 and 5 recurrent layers.

Documents stand beside the inputs of every token, and both go through an MLP in front of the linear layers. The paper's
RAG is taken as gradient descent on learned features, which are trained for it on the same episodes, as in figure 4.
"""

import functools

from matplotlib.figure import Figure

from analysis.figures.cited import Work, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.controls import Control, flat
from experiments.regression.comparison.claims.documents import grows, is_larger_with_most
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import by_documents
from experiments.regression.comparison.drawing.by_normalization import RAG
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
    return by_documents.draw(directory, RAG)


def controls(layers: int) -> tuple[Control, ...]:
    """Return the controls that both sides have learned the task at this depth, and are at the end of training."""
    part = f"layers_{layers}"
    return tuple(
        control
        for loss in (LOSS, f"loss.{RAG}")
        for control in (reaches_descent(loss, part=part), flat(loss, part=part))
    )


CLAIMS = tuple(
    claim
    for layers in DEPTHS
    for claim in (
        Claim(
            statement=f"At {layers} layers the discrepancy from RAG is larger with {MOST} documents of a non-linear "
            f"retriever than with {FEWEST}.",
            source=said(Work.RAG_GD, "appendix B", "amplifying the discrepancy between ICL and RAG"),
            criterion=f"at the end, the prediction difference at {MOST} documents less that at {FEWEST}, paired by "
            "seed, is above zero",
            judge=functools.partial(is_larger_with_most, part=f"layers_{layers}", few=FEWEST, many=MOST, reference=RAG),
            points=f"layers_{layers}",
            controls=controls(layers),
        ),
        Claim(
            statement=f"At {layers} layers it grows with every further number of documents, throughout the training.",
            source=stronger(Work.RAG_GD, "appendix B", "accumulate as the number of documents increases"),
            criterion="at a quarter, half and the end of training, each count's prediction difference is above that of "
            "the next smaller count, paired by seed",
            judge=functools.partial(grows, part=f"layers_{layers}", reference=RAG),
            points=f"layers_{layers}",
            controls=controls(layers),
        ),
    )
)
