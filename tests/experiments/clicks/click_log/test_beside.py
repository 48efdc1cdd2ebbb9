"""Ways of training on a real log beside sliding windows: errors paired over the users whom all runs share, verdicts."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.click_log import run
from experiments.clicks.click_log.beside import above_sliding, beside_sliding, measured
from experiments.clicks.click_log.figures import dti_log
from experiments.clicks.dti_language.figures import dti_smollm2
from experiments.clicks.metrics import by_groups, left_out, parts_of_groups
from experiments.clicks.tables import SLIDING
from tests.experiments.clicks.click_log.click_logs import LOG
from tests.experiments.clicks.dti.made_up import uncontrolled

PARTS = {"sliding": 1, "naive_10": 10, "naive_50": 50, "dti_10": 10, "dti_50": 50, "split_50": 50, "local_50": 50}
GROUPS = 8


def test_parts_of_groups_are_the_jackknife_over_users():
    """Forty users of unequally many targets in 32 groups; AUC without a group by scikit-learn."""
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(40), rng.integers(1, 9, 40))
    label, logit = rng.integers(0, 2, len(user)), np.round(rng.normal(size=len(user)), 1)
    weight_GxU = left_out(40)
    assert weight_GxU.shape == (32, 40)
    part_G = parts_of_groups(by_groups(label, logit, user, weight_GxU)["auc"])
    auc_G = np.array([roc_auc_score(label[keeps], logit[keeps]) for g in range(32) for keeps in [user % 32 != g]])
    jackknife = 31 / 32 * np.sum((auc_G - auc_G.mean()) ** 2)
    assert 32 / 31 * np.sum(part_G**2) == pytest.approx(jackknife)
    np.testing.assert_allclose(part_G, 31 / 32 * (auc_G - auc_G.mean()), atol=1e-12)
    assert left_out(5).sum() == 5 * 4, "of few users each is a group"


def test_users_are_counted_by_hand():
    row = run.user_row(LOG)
    learns = [end > first for first, end, _, _ in LOG.bounds]
    tested = [end > first for _, _, first, end in LOG.bounds]
    new = [is_tested and not has_past for is_tested, has_past in zip(tested, learns, strict=True)]
    assert (row["training"], row["test"], row["new"]) == (sum(learns), sum(tested), sum(new))


def made_up(auc_of, parts_of=lambda part: 0.0, later=0.0):
    """Tables of three seeds; `parts_of` adds to the parts of all groups that are the same in all runs."""
    clicks, groups, curves, spent = [], [], [], []
    common = 0.01 * np.cos(np.arange(GROUPS))
    for part, targets in PARTS.items():
        place = {"part": part, "targets": float(targets)}
        aucs = {"sliding": auc_of(part), "streaming": auc_of(part), "item": 0.7, "logistic": 0.75, "boosted": 0.76}
        for answers, auc in aucs.items():
            clicks += [Row(place | {"answers": answers, "seed": seed, "auc": auc + 1e-5 * seed})
                       for seed in (0.0, 1.0, 2.0)]  # fmt: skip
            values = common + parts_of(part) * (-1.0) ** np.arange(GROUPS)
            groups += [Row(place | {"answers": answers, "group": float(g), "auc": value})
                       for g, value in enumerate(values.tolist())]  # fmt: skip
        curves += [
            Row({"part": part, "step": step, "seed": seed, "loss.sliding": loss, "loss.streaming": loss})
            for step, loss in ((0.0, 0.69), (50.0, 0.55 + later), (100.0, 0.55))
            for seed in (0.0, 1.0, 2.0)
        ]
        spent.append(Row(place | {"milliseconds": 100.0 / targets, "targets_per_step": 150.0}))
    users = [Row({"training": 9.0, "test": 5.0, "new": 3.0})]
    return Tables(clicks=clicks, groups=groups, curves=curves, spent=spent, users=users)


def test_what_all_runs_share_is_no_error_of_a_difference():
    tables = made_up(lambda part: 0.78)
    alone = measured(tables, SLIDING)
    squares = np.sum((0.01 * np.cos(np.arange(GROUPS))) ** 2)
    assert alone.common == pytest.approx(math.sqrt(GROUPS / (GROUPS - 1) * squares))
    for number in above_sliding("dti").numbers(tables).values():
        assert number.common == pytest.approx(0, abs=1e-12)
    apart = made_up(lambda part: 0.78, parts_of=lambda part: 0.0 if part == SLIDING else 0.001)
    expected = math.sqrt(GROUPS / (GROUPS - 1) * GROUPS * 0.001**2)
    for number in above_sliding("dti").numbers(apart).values():
        assert number.common == pytest.approx(expected)
    for number in beside_sliding("dti").numbers(apart).values():
        assert number.stderr == pytest.approx(expected / measured(apart, SLIDING).mean)


LOSES = {"naive_10": 0.77, "naive_50": 0.76}


@pytest.mark.parametrize(
    ("claims", "auc_of", "holds"),
    [
        (dti_log.CLAIMS, lambda part: LOSES.get(part, 0.78), [True, True, True, True, True]),
        (dti_log.CLAIMS, lambda part: 0.78, [False, True, False, True, True]),
        (dti_log.CLAIMS, lambda part: 0.74 if part == SLIDING else 0.70, [True, False, False, False, False]),
        (dti_smollm2.CLAIMS, lambda part: {"naive": 0.79}.get(part.split("_")[0], 0.78), [True, True]),
        (dti_smollm2.CLAIMS, lambda part: {"naive": 0.77}.get(part.split("_")[0], 0.78), [False, False]),
        (dti_smollm2.CLAIMS, lambda part: {"naive": 0.77, "split": 0.76}.get(part.split("_")[0], 0.78), [False, True]),
    ],
)
def test_verdicts_follow_the_numbers(claims, auc_of, holds):
    tables = made_up(auc_of)
    assert [claim.evaluate(tables, {}, ())["holds"] or False for claim in uncontrolled(claims)] == holds


NEVER = [Outcome.NOT_REACHED] * 5
EQUAL = [Outcome.DOES_NOT_HOLD, Outcome.HOLDS, Outcome.DOES_NOT_HOLD, Outcome.HOLDS, Outcome.HOLDS]
FALLING = [Outcome.NOT_REACHED if each is Outcome.DOES_NOT_HOLD else each for each in EQUAL]


@pytest.mark.parametrize(
    ("auc", "later", "outcomes"), [(0.78, 0.001, EQUAL), (0.70, 0.001, NEVER), (0.78, 0.05, FALLING)]
)
def test_decoders_must_have_learned_and_no_refutation_is_of_falling_losses(auc, later, outcomes):
    tables = made_up(lambda part: auc, later=later)
    assert [claim.evaluate(tables, {})["outcome"] for claim in dti_log.CLAIMS] == outcomes


def test_the_figure_has_every_way_and_baseline():
    axes = dti_log.draw(made_up(lambda part: LOSES.get(part, 0.78))).axes
    assert [len(panel.containers) for panel in axes] == [5, 4, 4, 5]
    assert {line.get_label() for line in axes[0].lines} >= {"item's mean", "logistic regression", "boosted trees"}
    naive = axes[1].lines[0]
    np.testing.assert_allclose(np.array(naive.get_ydata(), float), [-0.01, -0.02], atol=1e-9)
