"""The number of functions from which on a decoder learns their class: where its answers cross from one optimum to the
other, one crossing per seed."""

import math

from analysis.figures.estimates import Estimate, combine, estimate
from analysis.tables.columns import Curves
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where

SIZE = "pool.size"


def steps(rows: list[Row]) -> list[float]:
    """Return the training steps at which decoders were evaluated."""
    return distinct(rows, Curves.STEP)


def step_at(every: list[float], share: float) -> float:
    """Return the evaluated step that is nearest to a share of the last one.

    Raises:
        NotMeasured: it is further away than an eighth of the last one.
    """
    step = min(every, key=lambda step: abs(step - share * every[-1]))
    if abs(step - share * every[-1]) > every[-1] / 8:
        raise NotMeasured(f"there is no evaluation near {share:g} of the steps")
    return step


def at_step(rows: list[Row], step: float) -> list[Row]:
    """Return the rows of one training step."""
    return rows_where(rows, {Curves.STEP: step})


def ratio(rows: list[Row], place: str) -> Estimate:
    """Return log2(distance from dMMSE / distance from ridge), from rows of one size; above 0 if ridge is nearer."""
    return combine(
        lambda dmmse, ridge: math.log2(dmmse / ridge),
        estimate(rows, f"distance_{place}.dmmse"),
        estimate(rows, f"distance_{place}.ridge"),
    )


def crossing(rows: list[Row], place: str = "fresh") -> Estimate:
    """Return log2 of the M from which on ridge is nearer than dMMSE, also at all larger sizes of the sweep.

    It is interpolated in log2 M between neighbours. For a seed it is -inf if ridge is nearer at all sizes, and inf if
    dMMSE is nearer at the largest.

    Raises:
        NotMeasured: there are fewer than two sizes.
    """
    by_size = {size: ratio(group, place) for size, group in group_by(rows, SIZE).items()}
    if len(by_size) < 2:
        raise NotMeasured("a crossing takes two sizes of the pool")

    def one_seed(*values: float) -> float:
        logarithms = [math.log2(size) for size in by_size]
        if values[-1] <= 0:
            return math.inf
        for place in reversed(range(len(logarithms) - 1)):
            if values[place] <= 0:
                share = -values[place] / (values[place + 1] - values[place])
                return logarithms[place] + share * (logarithms[place + 1] - logarithms[place])
        return -math.inf

    return combine(one_seed, *by_size.values())
