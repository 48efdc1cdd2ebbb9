"""The results of `task_diversity` [Rav23], judged over seeds, mostly at the last training step."""

import math

from analysis.figures import controls
from analysis.figures.cited import Work, own, said
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.results.column import LAST, Choice, Column
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where, table
from lab.runs.directory import RunDirectory

SIZE = "pool.size"
DMMSE, RIDGE = "dmmse", "ridge"  # Bayes-optimal for the pool, and for the whole class, as [Rav23] calls them
UNIT = "relative to the answer 0"
distance_pool = Column(
    Table.CURVES, "distance_pool", "squared distance, pool", f"Of decoder and optimum on functions of the pool, {UNIT}."
)
distance_fresh = Column(
    Table.CURVES, "distance_fresh", "squared distance, new", f"Of decoder and optimum on new functions, {UNIT}."
)
error_pool = Column(
    Table.CURVES, "error_pool", "squared error, pool", f"Mean squared error on functions of the pool, {UNIT}."
)
error_fresh = Column(Table.CURVES, "error_fresh", "squared error, new", f"Mean squared error on new functions, {UNIT}.")

HEADLINES = (distance_fresh, distance_pool, error_fresh, error_pool)
ANSWER = (
    "the decoder's answers to new functions are at squared distances of {distance_fresh.ridge} from ridge regression, "
    "the best for all functions, and {distance_fresh.dmmse} from dMMSE, the best for its pool, of E f²",
    "on functions of the pool these are {distance_pool.ridge} and {distance_pool.dmmse}",
)

HALF = 0.5  # of what the Bayes-optimal answer learns
FEW = Choice("smallest above 1", lambda sizes: [size for size in sizes if size > 1][:1])  # of one it says less


def nearer_to_ridge(distance: Column, size: Choice) -> Quantity:
    """Return log2 of the distance from dMMSE over that from ridge, above 0 if ridge is nearer."""
    last = distance.where(size=size, step=LAST)
    return (last[DMMSE] / last[RIDGE]).map("log2 of {}", math.log2)


def shares(directory: RunDirectory) -> Numbers:
    """Return what decoders gain over the answer 0, whose error is 1, over what dMMSE gains on their pool.

    At every size of the pool, and of a sweep over other settings too at every point.
    """
    rows = table(directory, Table.CURVES)
    last = rows_where(rows, {Curves.STEP: distinct(rows, Curves.STEP)[-1]})
    return {place.removesuffix(": "): _share(group) for place, group in controls.by_place(last).items()}


def _share(rows: list[Row]) -> Estimate:
    errors = (estimate(rows, f"{error_pool.name}.{name}") for name in ("decoder", DMMSE))
    return combine(lambda one, best: (1 - one) / (1 - best), *errors)


def crossing(rows: list[Row], place: str = "fresh") -> Estimate:
    """Return log2 of the M from which on ridge is nearer than dMMSE, also at all larger sizes of the sweep.

    It is interpolated in log2 M between neighbours. For a seed it is -inf if ridge is nearer at all sizes, and inf if
    dMMSE is nearer at the largest.

    Args:
        rows: of one training step.

    Raises:
        NotMeasured: there are fewer than two sizes.
    """
    names = [f"distance_{place}.{name}" for name in (DMMSE, RIDGE)]
    by_size = {
        size: combine(lambda dmmse, ridge: math.log2(dmmse / ridge), *(estimate(group, name) for name in names))
        for size, group in group_by(rows, SIZE).items()
    }
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


def moves(directory: RunDirectory) -> Numbers:
    """Return the crossing at the end minus that at half of the steps, as log2 of M."""
    rows = table(directory, Table.CURVES)
    steps = distinct(rows, Curves.STEP)
    end = steps[-1]
    half = min(steps, key=lambda step: abs(step - end / 2))
    if abs(half - end / 2) > end / 8:
        raise NotMeasured("there is no evaluation near 0.5 of the steps")
    late, early = (crossing(rows_where(rows, {Curves.STEP: step})) for step in (end, half))
    if not all(map(math.isfinite, [*late.by_seed.values(), *early.by_seed.values()])):
        raise NotMeasured("some seed has no crossing among the sizes of the sweep")
    return {"": late - early}


LEARNED = Control(
    "decoders learn at least half of what is optimal for their pool",
    Quantity("share of what dMMSE learns", "", shares, "at every point,") > HALF,
)
CONTROLS = (LEARNED, controls.flat("loss.decoder"))
CLAIMS = (
    claim(
        "With few functions in training a decoder is nearer to the Bayes-optimal predictor for these few than to ridge "
        "regression.",
        said(Work.RAV23, "abstract, below the threshold"),
        (nearer_to_ridge(distance_pool, FEW) < 0) & (nearer_to_ridge(distance_fresh, FEW) < 0),
    ),
    claim(
        "With many functions in training it is nearer to ridge regression, which is optimal for all functions, on new "
        "ones too.",
        said(Work.RAV23, "abstract, beyond the threshold"),
        (nearer_to_ridge(distance_pool, LAST) > 0) & (nearer_to_ridge(distance_fresh, LAST) > 0),
    ),
    claim(
        "The number of functions that it takes moves with training.",
        own("derived here from Raventós et al. 2023, the task diversity threshold"),
        Quantity("log2 of M with equal distances, end - half of the steps", "", moves) > 0,
        "M: the number of functions from which on new ones are answered nearer to ridge",
        controls=(LEARNED,),
    ),
)
