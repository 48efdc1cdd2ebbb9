"""Appendix B of RAG-GD: a non-linear retriever, at 2 and 5 recurrent layers.

Documents stand beside the inputs of every token, and both go through an MLP in front of the linear layers. The paper's
RAG is taken as gradient descent on learned features, which are trained for it on the same episodes, as in figure 4.
"""

import functools
import itertools

from analysis.figures.cited import Work, said
from analysis.figures.controls import Control, each_seed, flat
from analysis.metrics.columns import Metric
from analysis.results.column import LAST
from analysis.results.declared import claim
from analysis.results.quantity import Bounds
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import against_step
from experiments.regression.comparison.results import DOCUMENTS, RAG, for_each, in_training

CAPTION = (
    "Differences between the trained Transformer and gradient descent on learned features (RAG) against the training "
    "step, one line per number of documents, which stand beside the inputs and go with them through an MLP."
)
NEEDS_POINTS = True
BANDS = True
CHANGED = "29 November 2026: both depths in one claim"
PARTS = ("layers_2", "layers_5")
FEWEST, MOST = 2, 15
draw = functools.partial(against_step.by_documents, reference=RAG)


def controls() -> tuple[Control, ...]:
    """Return the controls that both sides have learned the task at each depth, and are at the end of training."""
    return tuple(
        control
        for part, loss in itertools.product(PARTS, (LOSS, f"loss.{RAG}"))
        for control in (
            *each_seed(reaches_descent(loss, part=part), date="28 November 2026"),
            flat(loss, part=part),
        )
    )


def is_larger_with_most(part: str) -> Bounds:
    """Return the bound of the distance from RAG at the most documents, less that at the fewest, at the end."""
    distance = in_training(Metric.PREDICTION_L2, RAG, DOCUMENTS).where(part=part, step=LAST)
    return distance[MOST] - distance[FEWEST] > 0


CLAIMS = (
    claim(
        f"At 2 and at 5 layers the discrepancy from RAG is larger with {MOST} documents of a non-linear retriever than "
        f"with {FEWEST}.",
        said(Work.RAG_GD, "appendix B", "amplifying the discrepancy between ICL and RAG"),
        for_each(PARTS, is_larger_with_most),
        controls=controls(),
        changed=CHANGED,
    ),
)
