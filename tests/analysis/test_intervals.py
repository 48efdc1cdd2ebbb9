"""Intervals cover simulated truths as often as they say: of a quotient, and of tables whose test rows all seeds share;
those of a mean and of a paired difference are SciPy's (test_evidence.py). 2,000 trials: 95% is known to .5%, and three
such errors are allowed. Trials with a table are 500, as each takes milliseconds."""

import numpy as np
import pytest
import scipy.stats

from analysis.figures.estimates import Estimate, chosen_on_others, cluster_error, on_seeds, share_interval
from analysis.figures.evidence import below
from analysis.metrics.alignment import mean_and_error
from analysis.tables.select import NotMeasured

TRIALS = 2000
ALLOWED = 3 * np.sqrt(0.95 * 0.05 / TRIALS)
SEEDS = pytest.mark.parametrize("seeds", [3, 5])


def of(values):
    return Estimate(dict(enumerate(map(float, values))))


def covers(numbers, truth):
    """The share of estimates whose 95% interval has the truth in it."""
    return np.mean([abs(number.mean - truth) < number.half_width() for number in numbers])


@SEEDS
def test_of_a_quotient(seeds):
    """Of numbers that vary by a few percent, as losses do: the mean quotient is then the quotient of means."""
    rng = np.random.default_rng(20 + seeds)
    level = rng.normal(1.0, 0.05, (TRIALS, seeds))
    one, other = (level * rng.normal(mean, 0.02, (TRIALS, seeds)) for mean in (1.0, 2.0))
    quotients = [of(a) / of(b) for a, b in zip(one, other, strict=True)]
    assert abs(covers(quotients, 0.5) - 0.95) < ALLOWED


def test_of_a_share():
    for count, total in ((0, 3), (1, 3), (11, 12), (12, 12)):
        low, high = scipy.stats.binomtest(count, total).proportion_ci(0.95)
        assert share_interval(count, total) == pytest.approx((low, high))


ROWS, EPISODES, TABLES = 256, 400, 500
ALLOWED_OF_TABLES = 3 * np.sqrt(0.95 * 0.05 / TABLES)


def runs_on_a_table(rng, seeds, effects):
    """Estimates of several runs on the same test rows. effects: (R, ROWS), of each row in each run. All runs of a seed
    see the same episodes; each adds noise and an effect of its seed."""
    values = np.empty((len(effects), seeds, EPISODES))
    drawn = rng.integers(0, ROWS, (seeds, EPISODES))
    for run, effect in enumerate(effects):
        values[run] = effect[drawn] + rng.normal(0, 0.5, drawn.shape) + rng.normal(0, 0.03, (seeds, 1))
    return [_estimate(values[run], drawn) for run in range(len(effects))]


def _estimate(values_SxB, group_SxB):
    measured = [mean_and_error(*one) for one in zip(values_SxB, group_SxB, strict=True)]
    parts = np.mean([each["clusters"] for each in measured], axis=0)
    clusters = {("table", float(i)): part for i, part in enumerate(parts)}
    by_seed = {float(seed): float(each["mean"]) for seed, each in enumerate(measured)}
    return Estimate(by_seed, cluster_error(clusters), clusters=clusters)


@SEEDS
def test_of_a_table_whose_rows_all_seeds_share(seeds):
    """Other rows would give another mean: that is no spread over seeds. The interval is of all tables of such rows. It
    is a little wide (two errors, each with a quantile of its own, in quadrature), by at most 3%."""
    rng = np.random.default_rng(30 + seeds)
    numbers = [runs_on_a_table(rng, seeds, rng.normal(0.3, 1.0, (1, ROWS)))[0] for _ in range(TABLES)]
    assert 0.95 - ALLOWED_OF_TABLES < covers(numbers, 0.3) < 0.98 + 3 * np.sqrt(0.98 * 0.02 / TABLES)
    only_seeds = [Estimate(number.by_seed) for number in numbers]
    assert covers(only_seeds, 0.3) < 0.9, "the spread over seeds alone is not enough"


@SEEDS
def test_of_a_difference_on_the_same_rows(seeds):
    """Two runs whose rows are as hard for one as for the other: independent errors would be several times too wide."""
    rng = np.random.default_rng(40 + seeds)
    differences, independent = [], []
    for _ in range(TABLES):
        row, own = rng.normal(0.0, 1.0, ROWS), rng.normal(0.1, 0.1, ROWS)
        one, other = runs_on_a_table(rng, seeds, np.stack([row + own, row]))
        differences.append(one - other)
        independent.append(Estimate((one - other).by_seed, np.hypot(one.common, other.common)))
    highest = 0.98 + 3 * np.sqrt(0.98 * 0.02 / TABLES)
    assert 0.95 - ALLOWED_OF_TABLES < covers(differences, 0.1) < highest
    widths = np.mean([[a.half_width(), b.half_width()] for a, b in zip(differences, independent, strict=True)], axis=0)
    assert widths[1] > 1.4 * widths[0]
    assert covers(independent, 0.1) > highest, "as if the rows of the two were others"


@SEEDS
def test_of_the_best_of_a_flat_curve(seeds):
    """The last of 20 evaluations is no worse than the others, so "below the highest" is a wrong verdict; it comes in at
    most 2.5% of trials if the highest is chosen on other seeds."""
    rng, wrong, naive = np.random.default_rng(50 + seeds), 0, 0
    for _ in range(TRIALS):
        curve = {step: of(values) for step, values in enumerate(rng.normal(size=(20, seeds)))}
        step, others = chosen_on_others(curve)
        highest = max(curve.values(), key=lambda each: each.mean)
        wrong += below("", on_seeds(curve[19] - curve[step], others)).met is True
        naive += below("", curve[19] - highest).met is True
    assert wrong / TRIALS < 0.025 + 3 * np.sqrt(0.025 * 0.975 / TRIALS)
    assert naive / TRIALS > 0.05


def test_what_the_first_half_chooses():
    curve = {1: of([9, 0, 9, 9]), 2: of([1, 10, 0, 0])}
    assert chosen_on_others(curve) == (2, [2, 3])
    assert chosen_on_others(curve, min) == (1, [2, 3])
    assert dict(on_seeds(curve[2], [2, 3]).by_seed) == {2: 0, 3: 0}
    with pytest.raises(NotMeasured, match="fewer than three seeds"):
        chosen_on_others({1: of([1.0, 2.0])})
