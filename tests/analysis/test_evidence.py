"""Numbers with errors over seeds, against SciPy's, and conditions on them."""

import numpy as np
import pytest
import scipy.stats

from analysis.figures.estimates import Estimate, cluster_error, combine, estimate, exact, mean
from analysis.figures.evidence import Condition, above, refuted, within
from analysis.tables.select import NotMeasured, Row

RNG = np.random.default_rng(0)


def of(*values, common=0.0):
    return Estimate(dict(enumerate(values)), common)


def test_an_interval_is_students():
    values = RNG.normal(size=5)
    number = of(*values)
    low, high = scipy.stats.t.interval(0.95, 4, values.mean(), values.std(ddof=1) / np.sqrt(5))
    assert number.mean == pytest.approx(values.mean())
    assert number.half_width() == pytest.approx((high - low) / 2)
    assert number.stderr == pytest.approx(scipy.stats.sem(values))


def test_what_is_common_to_all_seeds_is_added_in_quadrature():
    assert of(1.0, 1.0, 1.0, common=0.3).stderr == pytest.approx(0.3)
    assert of(1.0, 1.0, 1.0, common=0.3).half_width(0.95) == pytest.approx(0.3 * 1.959964)
    number = of(0.0, 2.0, common=3.0)
    assert number.stderr == pytest.approx(np.sqrt(1 + 9))
    assert mean([number, number]).stderr == pytest.approx(number.stderr), "it does not average out"
    assert (number - number).common == pytest.approx(3 * np.sqrt(2)), "without clusters they count as independent"


def test_differences_are_paired_by_seed():
    """What a seed adds to both is no error of their difference, as in a paired t-test."""
    a, b = RNG.normal(size=6), RNG.normal(size=6)
    shared = 100 * RNG.normal(size=6)
    difference = of(*(a + shared)) - of(*(b + shared))
    test = scipy.stats.ttest_rel(a, b).confidence_interval(0.95)
    assert difference.half_width() == pytest.approx((test.high - test.low) / 2)
    some = Estimate({0: 1.0, 1: 2.0, 7: 5.0}) - Estimate({1: 1.0, 7: 1.0, 8: 0.0})
    assert dict(some.by_seed) == {1: 1.0, 7: 4.0}
    with pytest.raises(NotMeasured, match="no seed in common"):
        of(1.0) - Estimate({5: 1.0})
    assert (of(6.0, 8.0) / of(2.0, 4.0)).by_seed == {0: 3.0, 1: 2.0}
    assert combine(abs, of(-1.0, 2.0)).mean == 1.5


def test_test_rows_stay_paired_beside_numbers_without_clusters():
    """(test - training) of one run less that of another: the error of the paired differences of the test rows, and in
    quadrature those of the training rows, which are not known row by row."""
    rows = 40
    shared = RNG.normal(size=rows) * 10
    one, other = (shared + RNG.normal(size=rows) for _ in range(2))

    def gap(test_rows, training_error):
        clusters = {("wine", float(i)): (x - test_rows.mean()) / rows for i, x in enumerate(test_rows)}
        test = Estimate({0: test_rows.mean()}, cluster_error(clusters), exact=True, clusters=clusters)
        return test - Estimate({0: 0.5}, common=training_error, exact=True)

    paired = scipy.stats.sem(one - other)
    assert (gap(one, 0.0) - gap(other, 0.0)).stderr == pytest.approx(paired)
    assert (gap(one, 0.3) - gap(other, 0.4)).stderr == pytest.approx(np.hypot(paired, 0.5))
    assert (gap(one, 0.3) - gap(one, 0.4)).stderr == pytest.approx(0.5), "the same rows"


def test_the_common_error_of_a_quotient_is_the_spread_of_quotients():
    """Of a hundred thousand pairs of numbers with these errors: known to 1%, and the first order to a few more."""
    rng = np.random.default_rng(0)
    for a, error_a, b, error_b in ((0.2, 0.01, 2.0, 0.05), (-3.0, 0.02, 0.7, 0.02), (1.0, 0.05, -4.0, 0.0)):
        quotient = Estimate({0: a}, common=error_a, exact=True) / Estimate({0: b}, common=error_b, exact=True)
        spread = np.std(rng.normal(a, error_a, 100_000) / rng.normal(b, error_b, 100_000))
        assert quotient.stderr == pytest.approx(spread, rel=0.03)


@pytest.mark.parametrize(
    ("number", "met"),
    [
        (of(2.0, 2.1, 1.9), True),
        (of(0.0, 0.1, -0.1), False),
        (of(0.5, 1.9, 1.0), None),
        (of(2.0), None),
        (exact(1.1), True),
        (exact(0.9), False),
    ],
)
def test_a_condition_is_met_not_met_or_undecided(number, met):
    assert above("x", number, 1.0).met is met
    mirrored = Estimate({seed: -value for seed, value in number.by_seed.items()}, exact=number.exact)
    assert Condition("x", mirrored, high=-1.0).met is met


def test_within_is_on_both_sides():
    assert [within("x", exact(value), 0.5).met for value in (-0.6, -0.4, 0.4, 0.6)] == [False, True, True, False]
    assert within("x", exact(0.4), 0.5).bound == "below 0.5"
    assert within("x", exact(-0.6), 0.5).bound == "above -0.5"


def test_an_estimate_of_a_table_has_one_row_per_seed():
    rows = [Row(seed=seed, loss=value) | {"loss.common": 0.25} for seed, value in ((0.0, 1.0), (1.0, 3.0))]
    number = estimate([Row(row) for row in rows], "loss")
    assert (number.mean, number.common) == (2.0, 0.25)
    with pytest.raises(NotMeasured, match="several rows of one seed"):
        estimate([Row(rows[0]), Row(rows[0])], "loss")
    with pytest.raises(NotMeasured, match="empty"):
        estimate([Row(seed=0.0, loss="")], "loss")


def test_what_is_refuted_is_found_by_holms_rule():
    """By P-values of SciPy's t-test, smallest first, each against its share of 2.5%: half of 5% lies on this side."""
    rng, several = np.random.default_rng(1), 0
    for _ in range(200):
        values = rng.normal(loc=-rng.exponential(1.5, size=(6, 1)), size=(6, 4))
        p = np.asarray(scipy.stats.ttest_1samp(values, 0, axis=1, alternative="less")[1])
        order = np.argsort(p)
        passed = np.cumprod(p[order] < 0.025 / np.arange(6, 0, -1)).astype(bool)
        conditions = [above(str(i), of(*each)) for i, each in enumerate(values)]
        assert {int(each.name) for each in refuted(conditions)} == set(order[passed])
        several += passed.sum() > 1
    assert several > 20, "of the rule's second step, too"


def test_numbers_without_an_error_are_refuted_at_once():
    wrong, right = above("wrong", exact(-1.0)), above("right", exact(1.0))
    unclear = above("unclear", of(-1.0, 1.0, 0.5))
    assert refuted([right, unclear, wrong]) == [wrong]
    assert refuted([right, unclear]) == []
