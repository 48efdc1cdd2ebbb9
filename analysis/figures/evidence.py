"""Conditions on numbers, by which claims are judged: met, not met or undecided."""

import dataclasses
import math
from collections.abc import Callable, Collection, Sequence

from analysis.figures.estimates import CONFIDENCE, Estimate, on_seeds
from lab.runs.directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class Condition:
    """The condition `low` < number < `high`.

    It is met if the whole interval of the number lies inside, not met if all of it lies outside, and undecided
    otherwise (None), as with a single seed.
    """

    name: str
    number: Estimate
    low: float = -math.inf
    high: float = math.inf

    @property
    def met(self) -> bool | None:
        """True if the condition is met, False if not, None if that is undecided."""
        return self.met_with(CONFIDENCE)

    def met_with(self, confidence: float) -> bool | None:
        """Return the same by an interval with this confidence."""
        half = self.number.half_width(confidence)
        least, most = self.number.mean - half, self.number.mean + half
        if self.low < least and most < self.high:
            return True
        if most <= self.low or least >= self.high:
            return False
        return None

    def is_at_bound(self, delta: float, confidence: float = CONFIDENCE) -> bool:
        """Return whether the whole interval lies nearer than `delta` to the nearer bound, on either side."""
        return abs(self.number.mean - self.nearer) + self.number.half_width(confidence) < delta

    @property
    def seeds_inside(self) -> set[float]:
        """The seeds whose own value lies between the bounds."""
        return {seed for seed, value in self.number.by_seed.items() if self.low < value < self.high}

    def on_seeds(self, seeds: Collection[float]) -> "Condition":
        """Return the condition on some of its seeds alone."""
        chosen = [seed for seed in self.number.by_seed if seed in seeds]
        return dataclasses.replace(self, number=on_seeds(self.number, chosen))

    @property
    def nearer(self) -> float:
        """The nearer bound."""
        return self.low if self._low_is_nearer else self.high

    @property
    def margin(self) -> float:
        """The distance to the nearer bound, negative outside, in units of the error where there is one."""
        distance = min(self.number.mean - self.low, self.high - self.number.mean)
        return distance / self.number.stderr if self.number.stderr > 0 else distance

    @property
    def bound(self) -> str:
        """'above 0.99': the nearer bound, in words."""
        return f"above {self.low:.3g}" if self._low_is_nearer else f"below {self.high:.3g}"

    @property
    def beyond(self) -> str:
        """'0.99 or less': the other side of the nearer bound, in words."""
        return f"{self.low:.3g} or less" if self._low_is_nearer else f"{self.high:.3g} or more"

    @property
    def _low_is_nearer(self) -> bool:
        return self.number.mean - self.low < self.high - self.number.mean


Judge = Callable[[RunDirectory], Sequence[Condition]]  # a run's or a sweep's directory -> all must be met


def refuted(conditions: Sequence[Condition], confidence: float = CONFIDENCE) -> list[Condition]:
    """Return the conditions that are clearly not met, when all of them are looked at.

    With many conditions one of them is outside its bounds by chance, so intervals are widened by Holm's step-down rule
    (S. Holm, A simple sequentially rejective multiple test procedure, 1979): the chance that any condition which is met
    is returned is at most 1 - `confidence`. No such rule is needed where all must be met for a claim to hold.
    """
    left = [each for each in conditions if each.number.half_width() > 0]
    failing = [each for each in conditions if each not in left and each.met is False]
    while left:
        outside = [each for each in left if each.met_with(1 - (1 - confidence) / len(left)) is False]
        if not outside:
            break
        failing += outside
        left = [each for each in left if each not in outside]
    return failing


def with_more(judge: Judge, more: int) -> Judge:
    """Return a judge whose numbers have further seeds, assumed to be of the same mean and spread."""
    return lambda directory: [
        dataclasses.replace(each, number=dataclasses.replace(each.number, more=more)) for each in judge(directory)
    ]


def worst(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that is nearest to its bound, or farthest outside."""
    return min(conditions, key=lambda each: each.margin)


def value(condition: Condition) -> str:
    """'0.93 ± 0.01': the number of a condition, in words."""
    error = f" ± {condition.number.stderr:.2g}" if condition.number.stderr > 0 else ""
    return f"{condition.number.mean:.4g}{error}"


def seed_count(condition: Condition) -> int:
    """Return how many seeds a condition's number has."""
    return len(condition.number.by_seed)


def above(name: str, number: Estimate, low: float = 0.0) -> Condition:
    """Return the condition number > `low`."""
    return Condition(name, number, low=low)


def below(name: str, number: Estimate, high: float = 0.0) -> Condition:
    """Return the condition number < `high`."""
    return Condition(name, number, high=high)


def within(name: str, number: Estimate, distance: float) -> Condition:
    """Return the condition |number| < `distance`."""
    return Condition(name, number, -distance, distance)
