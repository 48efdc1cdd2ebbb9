"""Claims about single data sets of figures 4 and 6 of RAG-GD, some of which the paper makes about two data sets."""

import functools
from collections.abc import Callable, Sequence

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition
from experiments.comparison.claims import normalization_judges as judges

TITLES = {"bike": "Bike", "california": "California", "calories": "Calories", "wine": "Wine"}


def claim_about(
    data: str, statement: str, source: str, criterion: str, judge: Callable[..., Sequence[Condition]], **options
) -> Claim:
    """Return a claim for which the points of one data set are enough.

    Args:
        data: the data set; its title comes before the statement.
        judge: (directory, data, **options) -> conditions.
    """
    return Claim(
        statement=f"{TITLES[data]}: {statement}",
        source=source,
        criterion=criterion,
        judge=functools.partial(judge, data=data, **options),
        points=f"data={data}",
    )


def minmax_becomes_unstable(data: str, source: str) -> Claim:
    return claim_about(
        data,
        "with min-max the alignment becomes unstable as training progresses.",
        source,
        "along min-max's curve, the cosine at the end is below its highest, and the model difference above its "
        "smallest",
        judges.worsens_in_training,
    )


def minmax_is_least_aligned(data: str, source: str) -> Claim:
    return claim_about(
        data,
        "min-max is the least aligned normalisation.",
        source,
        "at the end min-max has the lowest cosine and the largest model difference, each in the inputs of its own run, "
        "as the paper measures them",
        judges.minmax_is_worst,
    )
