"""Numbers with their errors over seeds, by which claims are judged (`analysis.figures.evidence`).

Seeds are independent of one another, since each has training and test episodes of its own. Each number is computed for
every seed; differences between runs are taken within a seed, as runs of one seed share episodes where they can. The
error is that of the mean over seeds, and intervals are those of Student's t, since seeds are few. What all seeds share,
the test rows of a table, is in no spread over seeds: it is a second error, and it is paired too where runs share it.
"""

import collections
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from analysis.tables.columns import Seeds
from analysis.tables.select import Clusters, NotMeasured, Row, column

CONFIDENCE = 0.95
Key = TypeVar("Key")


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A number with one value per seed.

    by_seed: {seed: value}.
    common: the standard error from what all seeds share, such as the test rows of a table; added in quadrature.
    clusters: {cluster of test rows: its part in the mean}, by which the common errors of several numbers are paired;
        empty where none is known.
    exact: True: there is no error over seeds, and one value is enough, as for a property of a data set or of one model,
        or for an identity.
    more: further seeds that are assumed, of the same mean and spread.
    """

    by_seed: Mapping[float, float]
    common: float = 0.0
    exact: bool = False
    clusters: Clusters = dataclasses.field(default_factory=dict)
    more: int = 0

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return sum(self.by_seed.values()) / len(self.by_seed)

    @property
    def stderr(self) -> float:
        """The standard error of the mean; NaN for a single seed."""
        return math.hypot(self._over_seeds, self.common)

    @property
    def unpaired(self) -> float:
        """The part of the common error that is not known by clusters."""
        return math.sqrt(max(self.common**2 - cluster_error(self.clusters) ** 2, 0.0))

    def half_width(self, confidence: float = CONFIDENCE) -> float:
        """Return half the width of the interval with this confidence; NaN for a single seed."""
        over_seeds = quantile(max(len(self.by_seed) + self.more, 2), confidence) * self._over_seeds
        return math.hypot(over_seeds, quantile(1, confidence) * self.common)

    @property
    def _over_seeds(self) -> float:
        seeds = len(self.by_seed)
        if self.exact:
            return 0.0
        if seeds < 2:
            return math.nan
        squares = sum((value - self.mean) ** 2 for value in self.by_seed.values())
        return math.sqrt(squares / (seeds - 1) / (seeds + self.more))

    def __sub__(self, other: "Estimate") -> "Estimate":
        return combine(lambda a, b: a - b, self, other)

    def __truediv__(self, other: "Estimate") -> "Estimate":
        return combine(lambda a, b: a / b, self, other)


def quantile(seeds: int, confidence: float = CONFIDENCE) -> float:
    """Return half the width of an interval in standard errors: Student's for so many seeds, and for one seed, whose
    error is over many episodes, the normal distribution's."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + confidence) / 2
    return float(stdtrit(seeds - 1, upper) if seeds > 1 else ndtri(upper))


def share_interval(count: int, total: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the interval of a share, `count` of `total`, by C. J. Clopper and E. S. Pearson (1934)."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    return low, float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0


def exact(value: float) -> Estimate:
    """Return an estimate without an error."""
    return Estimate({0: float(value)}, exact=True)


def known(value: float, stderr: float) -> Estimate:
    """Return an estimate for one model from its standard error over many episodes."""
    return Estimate({0: float(value)}, common=float(stderr), exact=True)


def combine(function: Callable[..., float], *estimates: Estimate, common: float | None = None) -> Estimate:
    """Apply a function to the values of several estimates, within each seed that all of them have.

    Args:
        function: one value of each estimate -> a number. It is not asked where one is NaN, which `max` would hide.
        common: the standard error of the result from what all seeds share; None: that of the delta method, from the
            function's slopes at the means. Errors are paired cluster by cluster; what is not known by clusters counts
            as independent.

    Raises:
        NotMeasured: they have no seed in common.
    """
    seeds = set.intersection(*(set(each.by_seed) for each in estimates))
    if not seeds:
        raise NotMeasured("no seed in common")
    inputs = {seed: [each.by_seed[seed] for each in estimates] for seed in sorted(seeds)}
    values = {seed: math.nan if any(map(math.isnan, each)) else function(*each) for seed, each in inputs.items()}
    is_exact = all(each.exact for each in estimates)
    if common is not None:
        return Estimate(values, common, is_exact)
    parts = [(_slope(function, estimates, i), each) for i, each in enumerate(estimates) if each.common]
    names = {name for _, each in parts for name in each.clusters}
    clusters = {name: sum(slope * each.clusters.get(name, 0.0) for slope, each in parts) for name in names}
    unpaired = (slope * each.unpaired for slope, each in parts)
    return Estimate(values, math.hypot(cluster_error(clusters), *unpaired), is_exact, clusters)


def cluster_error(clusters: Clusters) -> float:
    """Return the standard error of a number from the part that each cluster of test rows has in it.

    The cluster-robust error sqrt(G / (G - 1) sum_g part_g^2) of each data set's G clusters (Liang and Zeger 1986), and
    those of several data sets in quadrature.
    """
    counts = collections.Counter(data for data, _ in clusters)
    squares = (part**2 * counts[data] / max(counts[data] - 1, 1) for (data, _), part in clusters.items())
    return math.sqrt(sum(squares))


def _slope(function: Callable[..., float], estimates: Sequence[Estimate], place: int) -> float:
    """Return the derivative of a function by one argument at the means, by a central difference."""
    means = [each.mean for each in estimates]
    step = 1e-6 * (abs(means[place]) or 1.0)
    above_it, below_it = ([*means[:place], means[place] + sign * step, *means[place + 1 :]] for sign in (1, -1))
    return (function(*above_it) - function(*below_it)) / (2 * step)


def mean(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of several estimates within each seed; what is not known by clusters does not average out."""
    common = max(each.common for each in estimates) if any(each.unpaired for each in estimates) else None
    return combine(lambda *values: sum(values) / len(values), *estimates, common=common)


def chosen_on_others(options: Mapping[Key, Estimate], best: Callable[..., Key] = max) -> tuple[Key, list[float]]:
    """Return the best of several numbers by the first half of the seeds, and the other seeds, to judge it on.

    The best of several noisy numbers is too good on the seeds that it was chosen on: among 20 evaluations of a flat
    curve the highest is clearly above the last one far more often than in 2.5% of cases. (To choose for each seed on
    all the others is no remedy: these choices depend on one another, and go wrong in 6%.)

    Args:
        options: such as {step: a number at this step}, with the same seeds.
        best: `max` or `min`.

    Raises:
        NotMeasured: there are fewer than three seeds.
    """
    seeds = sorted(set.intersection(*(set(each.by_seed) for each in options.values())))
    if len(seeds) < 3:
        raise NotMeasured("fewer than three seeds, so too few are left to judge on what the others choose")
    choosing, judging = seeds[: len(seeds) // 2], seeds[len(seeds) // 2 :]
    return best(options, key=lambda key: sum(options[key].by_seed[seed] for seed in choosing)), judging


def on_seeds(number: Estimate, seeds: Sequence[float]) -> Estimate:
    """Return an estimate on some of its seeds alone."""
    return dataclasses.replace(number, by_seed={seed: number.by_seed[seed] for seed in seeds})


def estimate(rows: Sequence[Row], number: str, repeat: str = Seeds.SEED) -> Estimate:
    """Return a column of rows with one row per seed, such as rows of seeds.csv or of one step of curves.csv.

    Args:
        repeat: the column that stands for the seed, such as the round of a measurement.

    Raises:
        NotMeasured: there is no such column, it is not of numbers, or several rows have one seed.
    """
    name, seed = column(rows, number), column(rows, repeat)
    values = {row.number(seed): row.number(name) for row in rows}
    if len(values) < len(rows):
        raise NotMeasured(f"several rows of one {repeat} have {number}")
    if clusters := rows[0].clusters.get(name, {}):
        return Estimate(values, cluster_error(clusters), clusters=clusters)
    common = [row.get(f"{name}.common") for row in rows]
    errors = [value for value in common if isinstance(value, float)]
    return Estimate(values, sum(errors) / len(errors) if errors else 0.0)
