"""The number of functions from which on a decoder learns their class: where its answers cross from one optimum to the
other, one crossing per seed, and how this grows with the number of inputs."""

import math
from collections.abc import Mapping

from analysis.figures.estimates import Estimate, combine, estimate
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where, table
from lab.runs.directory import RunDirectory

SIZE = "pool.size"
PART = "part"
FIRST = "inputs_"  # what a part's name begins with; the number of inputs follows


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


def by_inputs(directory: RunDirectory) -> dict[int, list[Row]]:
    """Return {number of inputs: its rows of curves.csv}.

    Raises:
        NotMeasured: no part is called as `FIRST` says.
    """
    groups = group_by(table(directory, Table.CURVES), PART)
    numbers = {int(part.removeprefix(FIRST)): rows for part, rows in groups.items() if part.startswith(FIRST)}
    if not numbers:
        raise NotMeasured(f"there is no part {FIRST}D")
    return dict(sorted(numbers.items()))


def thresholds(directory: RunDirectory, share: float = 1.0) -> dict[int, Estimate]:
    """Return {number of inputs: log2 M at the crossing on new functions} after a share of the training steps."""
    result = {}
    for inputs, rows in by_inputs(directory).items():
        result[inputs] = crossing(at_step(rows, step_at(steps(rows), share)))
    return result


def finite(estimates: Mapping[int, Estimate]) -> dict[int, Estimate]:
    """Return the same estimates.

    Raises:
        NotMeasured: a seed has no crossing among the sizes of the sweep.
    """
    for inputs, each in estimates.items():
        if not all(map(math.isfinite, each.by_seed.values())):
            raise NotMeasured(f"with {inputs} inputs some seed has no crossing among the sizes of the sweep")
    return dict(estimates)


def growth(estimates: Mapping[int, Estimate]) -> Estimate:
    """Return the doublings of M per further input: the slope of the straight line with the least squares, by seed.

    Raises:
        NotMeasured: there are fewer than two numbers of inputs.
    """
    if len(estimates) < 2:
        raise NotMeasured("growth takes two numbers of inputs")
    middle = sum(estimates) / len(estimates)
    squares = sum((inputs - middle) ** 2 for inputs in estimates)

    def of_seed(*values: float) -> float:
        return sum((inputs - middle) * value for inputs, value in zip(estimates, values, strict=True)) / squares

    return combine(of_seed, *estimates.values())


def sizes(rows: list[Row]) -> list[float]:
    """Return the sizes of the pool that were trained."""
    return distinct(rows, SIZE)


def last_of_size(rows: list[Row], size: float) -> list[Row]:
    """Return the rows of one size at the last training step."""
    return rows_where(rows, {SIZE: size, Curves.STEP: steps(rows)[-1]})
