"""Claims about single data sets of figures 4 and 6 of RAG-GD, some of which the paper makes about two data sets."""

import dataclasses
import functools
from collections.abc import Callable, Sequence

from analysis.figures.cited import Cited
from analysis.figures.claim import Claim
from analysis.figures.controls import Control, flat
from analysis.figures.evidence import Condition
from experiments.regression.comparison.claims import normalization_curves as curves
from experiments.regression.comparison.claims import normalization_judges as judges
from experiments.regression.comparison.results import RAG

TITLES = {"bike": "Bike", "california": "California", "calories": "Calories", "wine": "Wine"}


def controls(data: str, normalizations: Sequence[str]) -> tuple[Control, ...]:
    """Return the controls that both sides have learned the table: the Transformer, and descent on learned features.

    Of the Transformer the training loss must be flat, as a few test rows of California and Wine steer its test loss.
    RAG's test loss is steady, and its training loss is not: it has a batch that is far above the others.
    """
    learned = "both have learned more of the table than the mean of its target"
    changed = "28 November 2026: the Transformer's training loss is to be flat, not its test loss"
    return tuple(
        control
        for name in normalizations
        for control in (
            Control(learned, functools.partial(judges.better_than_the_mean, data=data, normalization=name)),
            dataclasses.replace(flat("train_loss.transformer", data=data, normalization=name), changed=changed),
            flat(f"loss.{RAG}", data=data, normalization=name),
        )
    )


def claim_about(
    data: str,
    statement: str,
    source: Cited,
    criterion: str,
    judge: Callable[..., Sequence[Condition]],
    normalizations: Sequence[str] = tuple(judges.NAMES),
    **options,
) -> Claim:
    """Return a claim for which the points of one data set are enough.

    Args:
        data: the data set; its title comes before the statement.
        judge: (directory, data, **options) -> conditions.
        normalizations: those whose runs are judged, and so controlled; () for a claim about the table itself.
    """
    return Claim(
        statement=f"{TITLES[data]}: {statement}",
        source=source,
        criterion=criterion,
        judge=functools.partial(judge, data=data, **options),
        points=f"data={data}",
        controls=controls(data, normalizations),
    )


def minmax_becomes_unstable(data: str, source: Cited) -> Claim:
    return claim_about(
        data,
        "with min-max the cosine falls and the model difference grows as training progresses.",
        source,
        "along min-max's curve, the cosine at the end is below its highest, and the model difference above its "
        "smallest; the step of either is chosen on the first half of the seeds, and judged on the others",
        curves.worsens_in_training,
        normalizations=["minmax"],
    )
