"""What claims are judged by: numbers with their errors over seeds, and conditions on them.

A seed is what is independent: it has training and test episodes of its own. Each number is computed for every seed,
differences between runs within a seed (runs of one seed share what episodes they can), and the error is that of the
mean over seeds, with Student's t for intervals since seeds are few.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence

from analysis.tables.select import NotMeasured, Row, column

CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A number, known once for each seed.

    by_seed: {seed: value}.
    common: the standard error of what all seeds have in common, such as the test rows of a table; in quadrature.
    exact: seeds add no error, and one value is enough: a property of a data set or of one model, an identity.
    """

    by_seed: Mapping[float, float]
    common: float = 0.0
    exact: bool = False

    @property
    def mean(self) -> float:
        return sum(self.by_seed.values()) / len(self.by_seed)

    @property
    def stderr(self) -> float:
        """The standard error of the mean; NaN of a single seed."""
        return math.hypot(self._over_seeds, self.common)

    def half_width(self, confidence: float = CONFIDENCE) -> float:
        """Half of the interval that holds the truth with this probability; NaN of a single seed."""
        from scipy.special import ndtri, stdtrit

        upper, freedom = (1 + confidence) / 2, max(len(self.by_seed) - 1, 1)
        return math.hypot(float(stdtrit(freedom, upper)) * self._over_seeds, float(ndtri(upper)) * self.common)

    @property
    def _over_seeds(self) -> float:
        seeds = len(self.by_seed)
        if self.exact:
            return 0.0
        if seeds < 2:
            return math.nan
        squares = sum((value - self.mean) ** 2 for value in self.by_seed.values())
        return math.sqrt(squares / (seeds - 1) / seeds)

    def __sub__(self, other: "Estimate") -> "Estimate":
        return combine(lambda a, b: a - b, self, other, common=math.hypot(self.common, other.common))

    def __truediv__(self, other: "Estimate") -> "Estimate":
        return combine(lambda a, b: a / b, self, other, common=math.hypot(self.common, other.common) / abs(other.mean))


def exact(value: float) -> Estimate:
    """A number without an error."""
    return Estimate({0: float(value)}, exact=True)


def known(value: float, stderr: float) -> Estimate:
    """A number of one model, with its standard error over many episodes."""
    return Estimate({0: float(value)}, common=float(stderr), exact=True)


def combine(function: Callable[..., float], *estimates: Estimate, common: float = 0.0) -> Estimate:
    """function(values) within each seed that all of them have.

    Raises:
        NotMeasured: they have no seed in common.
    """
    seeds = set.intersection(*(set(each.by_seed) for each in estimates))
    if not seeds:
        raise NotMeasured("no seed in common")
    values = {seed: function(*(each.by_seed[seed] for each in estimates)) for seed in sorted(seeds)}
    return Estimate(values, common, all(each.exact for each in estimates))


def mean(estimates: Sequence[Estimate]) -> Estimate:
    """Of several, within each seed; what seeds have in common does not average out."""
    common = max(each.common for each in estimates)
    return combine(lambda *values: sum(values) / len(values), *estimates, common=common)


def estimate(rows: Sequence[Row], number: str) -> Estimate:
    """A column of rows that differ in their seed (of seeds.csv, or of one step of curves.csv).

    Raises:
        NotMeasured: there is no such column, it is not of numbers, or several rows have one seed.
    """
    name, seed = column(rows, number), column(rows, "seed")
    values = {row.number(seed): row.number(name) for row in rows}
    if len(values) < len(rows):
        raise NotMeasured(f"several rows of one seed have {number}")
    common = [row.get(f"{name}.common") for row in rows]
    known = [value for value in common if isinstance(value, float)]
    return Estimate(values, sum(known) / len(known) if known else 0.0)


@dataclasses.dataclass(frozen=True)
class Condition:
    """`low` < number < `high`. It is met where the whole interval of the number lies inside, not met where all of it
    lies outside, and undecided otherwise (None), as with a single seed."""

    name: str
    number: Estimate
    low: float = -math.inf
    high: float = math.inf

    @property
    def met(self) -> bool | None:
        half = self.number.half_width()
        least, most = self.number.mean - half, self.number.mean + half
        if self.low < least and most < self.high:
            return True
        if most <= self.low or least >= self.high:
            return False
        return None

    @property
    def margin(self) -> float:
        """The distance from the nearer bound, negative outside, relative to the error where there is one."""
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


def above(name: str, number: Estimate, low: float = 0.0) -> Condition:
    return Condition(name, number, low=low)


def below(name: str, number: Estimate, high: float = 0.0) -> Condition:
    return Condition(name, number, high=high)


def within(name: str, number: Estimate, distance: float) -> Condition:
    """|number| < distance."""
    return Condition(name, number, -distance, distance)
