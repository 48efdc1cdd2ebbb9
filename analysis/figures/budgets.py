"""Budgets of training: the largest one is judged, and a claim is refuted only where more training would not help.

A sweep over `train.steps` trains anew for each number of steps. Where a condition is clearly not met at the largest
number, its distance to the bound is compared with what a doubling of the steps takes off it: the slope of the straight
line through all budgets against log2(steps), within each seed. If that is next to nothing the claim does not hold. If
it is more, the line crosses the bound at

    steps = largest 2^(distance / slope),

and the claim is not reached. A line overestimates what a doubling still brings where the number levels off, so that
nothing is refuted too early.
"""

import dataclasses
import math
from collections.abc import Sequence

from analysis.figures.claim import Claim
from analysis.figures.controls import Control, Judge
from analysis.figures.estimates import Estimate, combine
from analysis.figures.evidence import Condition, below, refuted
from analysis.tables.select import NotMeasured, Row
from lab.runs.directory import RunDirectory

STEPS = "train.steps"
LEAST = 3  # budgets
NIL = 0.05  # of the distance to the bound: a doubling of the steps that takes off less than this would not help


class AtBudget(RunDirectory):
    """The tables of a sweep over `train.steps`, with the rows of one number of steps alone, as those of one run."""

    def __init__(self, directory: RunDirectory, steps: float):
        self._all, self._steps = directory, steps

    def has_table(self, name: str) -> bool:
        return self._all.has_table(name)

    def read_table(self, name: str) -> list[dict[str, float | str]]:
        rows = self._all.read_table(name)
        return [
            {key: value for key, value in row.items() if key != STEPS}
            for row in rows
            if row.get(STEPS, self._steps) == self._steps
        ]

    def read_config(self) -> dict:
        return self._all.read_config()


def budgets(rows: Sequence[Row]) -> list[float]:
    """Return the numbers of steps of a table's rows, smallest first; none for a table of a single run."""
    return sorted({row.number(STEPS) for row in rows if STEPS in row})


def at_largest(directory: RunDirectory, name: str) -> RunDirectory:
    """Return the tables of the largest number of steps; of a single run all of them.

    Args:
        name: the table that says which numbers of steps there are.
    """
    steps = _steps(directory, name)
    return AtBudget(directory, steps[-1]) if steps else directory


def over_budgets(claims: Sequence[Claim], name: str) -> tuple[Claim, ...]:
    """Return the claims, judged at the largest budget and refuted only where more training would not help.

    Args:
        name: the table that says which numbers of steps there are.
    """
    return tuple(
        dataclasses.replace(
            each,
            judge=_at_largest(each.judge, name),
            controls=None if each.controls is None else controls_at_largest(each.controls, name),
            refutation_controls=(*each.refutation_controls, flat_over_budgets(each.judge, name)),
        )
        for each in claims
    )


def controls_at_largest(controls: Sequence[Control], name: str) -> tuple[Control, ...]:
    """Return the controls, judged at the largest budget alone."""
    return tuple(dataclasses.replace(each, judge=_at_largest(each.judge, name)) for each in controls)


def _at_largest(judge: Judge, name: str) -> Judge:
    return lambda directory: judge(at_largest(directory, name))


def flat_over_budgets(judge: Judge, name: str) -> Control:
    """Return the control that a doubling of the steps hardly takes any condition that is not met towards its bound."""

    def judged(directory: RunDirectory) -> list[Condition]:
        steps = _steps(directory, name)
        if len(steps) < LEAST:
            there_are = f"there are {len(steps)} numbers of steps" if len(steps) > 1 else "there is one number of steps"
            raise NotMeasured(f"{there_are}, and it takes {LEAST}, as in grid=[{STEPS}=1000,2000,4000]")
        by_steps = {count: {each.name: each for each in judge(AtBudget(directory, count))} for count in steps}
        failing = refuted([*by_steps[steps[-1]].values()])
        return [_nil({count: named[each.name] for count, named in by_steps.items()}) for each in failing]

    return Control("more training would not help", judged)


def _nil(by_steps: dict[float, Condition]) -> Condition:
    """Return the condition that a doubling of the steps takes off next to nothing of a condition's distance."""
    last = max(by_steps)
    condition = by_steps[last]
    is_above = condition.number.mean >= condition.high
    distance = condition.number.mean - condition.high if is_above else condition.low - condition.number.mean
    slope = slope_of({count: each.number for count, each in by_steps.items()})
    towards = combine(lambda value: -value if is_above else value, slope)
    share = combine(lambda value: value / distance, towards)
    there = crossing(last, distance, towards.mean)
    when = f"bound reached at about {there:.2g} steps" if math.isfinite(there) else "the bound is never reached"
    name = f"{condition.name}: share of the distance to its bound that a doubling of the steps takes off ({when})"
    return below(name, share, NIL)


def slope_of(by_steps: dict[float, Estimate]) -> Estimate:
    """Return the slope against log2(steps) of the straight line with the least squares, within each seed.

    Raises:
        NotMeasured: no seed has a number at every budget.
    """
    places = [math.log2(count) for count in by_steps]
    middle = sum(places) / len(places)
    squares = sum((place - middle) ** 2 for place in places)

    def of_seed(*values: float) -> float:
        return sum((place - middle) * value for place, value in zip(places, values, strict=True)) / squares

    return combine(of_seed, *by_steps.values())


def crossing(largest: float, distance: float, slope: float) -> float:
    """Return the number of steps at which the line through the number at `largest` steps crosses its bound.

    Args:
        distance: from the number to its bound, above 0.
        slope: what a doubling of the steps takes off it; not above 0: never, so the result is infinite.
    """
    doublings = distance / slope if slope > 0 else math.inf
    return largest * 2**doublings if doublings < 100 else math.inf


def _steps(directory: RunDirectory, name: str) -> list[float]:
    return budgets([Row(row) for row in directory.read_table(name)]) if directory.has_table(name) else []
