"""Claims about task diversity [Rav23], judged over seeds, mostly at the last training step."""

import math

from analysis.figures import learned
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where, table
from lab.runs.directory import RunDirectory

SIZE = "pool.size"
HALF = 0.5  # of what the Bayes-optimal answer learns


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


def _last(directory: RunDirectory) -> list[Row]:
    rows = table(directory, Table.CURVES)
    return at_step(rows, steps(rows)[-1])


def nearer_to_dmmse(directory: RunDirectory) -> list[Condition]:
    """Judge at the smallest size above 1, since a pool of one function says less, above all on new functions."""
    rows = _last(directory)
    if (small := next((size for size in distinct(rows, SIZE) if size > 1), None)) is None:
        raise NotMeasured("there is no pool of two functions or more")
    return [
        below(f"M = {small:g}, {place}: log2 distance from dMMSE / from ridge", ratio(chosen, place))
        for chosen in [rows_where(rows, {SIZE: small})]
        for place in ("pool", "fresh")
    ]


def nearer_to_ridge(directory: RunDirectory) -> list[Condition]:
    rows = _last(directory)
    large = distinct(rows, SIZE)[-1]
    return [
        above(f"M = {large:g}, {place}: log2 distance from dMMSE / from ridge", ratio(chosen, place))
        for chosen in [rows_where(rows, {SIZE: large})]
        for place in ("pool", "fresh")
    ]


def threshold_moves(directory: RunDirectory) -> list[Condition]:
    """Compare the crossing at half of the steps with that at the end."""
    rows = table(directory, Table.CURVES)
    every = steps(rows)
    half = step_at(every, 0.5)
    late, early = crossing(at_step(rows, every[-1])), crossing(at_step(rows, half))
    if not all(map(math.isfinite, [*late.by_seed.values(), *early.by_seed.values()])):
        raise NotMeasured("some seed has no crossing among the sizes of the sweep")
    return [above("log2 M at the crossing, end - half of the steps", late - early)]


def judge_learned(directory: RunDirectory) -> list[Condition]:
    """Compare what decoders gain over the answer 0, whose error is 1, with what dMMSE gains on their pool.

    At every size of the pool, and of a sweep over other settings too at every point.
    """
    return [
        above(
            f"{place}share of what dMMSE learns",
            combine(
                lambda one, best: (1 - one) / (1 - best),
                estimate(rows, "error_pool.decoder"),
                estimate(rows, "error_pool.dmmse"),
            ),
            HALF,
        )
        for place, rows in learned.by_place(_last(directory)).items()
    ]


LEARNED = Control("decoders learn at least half of what is optimal for their pool", judge_learned)
FLAT = learned.flat("loss.decoder")
CONTROLS = (LEARNED, FLAT)
CLAIMS = (
    Claim(
        "With few functions in training a decoder answers as the Bayes-optimal predictor for these few.",
        said(Work.RAV23, "abstract, below the threshold"),
        "at the smallest pool of more than one function its answers are nearer to dMMSE than to ridge, on functions of "
        "the pool and on new ones",
        nearer_to_dmmse,
    ),
    Claim(
        "With many functions in training it answers as ridge regression, which is optimal for all functions, new ones "
        "too.",
        said(Work.RAV23, "abstract, beyond the threshold"),
        "at the largest pool its answers are nearer to ridge than to dMMSE, on functions of the pool and on new ones",
        nearer_to_ridge,
    ),
    Claim(
        "The number of functions that it takes moves with training.",
        own("derived here from Raventós et al. 2023, the task diversity threshold"),
        "the M at which new functions are answered as near to ridge as to dMMSE is larger at the end than at half of "
        "the steps",
        threshold_moves,
        controls=(LEARNED,),
    ),
)
