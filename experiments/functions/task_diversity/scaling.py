"""The number of functions that it takes, by the number of inputs: one crossing per seed and number of inputs."""

import math
from collections.abc import Mapping

from analysis.figures.estimates import Estimate, combine
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where, table
from experiments.functions.task_diversity.claims import at_step, crossing, step_at, steps
from lab.runs.directory import RunDirectory

PART = "part"
FIRST = "inputs_"  # what a part's name begins with; the number of inputs follows


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
    return distinct(rows, "pool.size")


def last_of_size(rows: list[Row], size: float) -> list[Row]:
    """Return the rows of one size at the last training step."""
    return rows_where(rows, {"pool.size": size, Curves.STEP: steps(rows)[-1]})
