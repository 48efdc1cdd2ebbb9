"""The choice of settings on users of their own, and what the claims with chosen settings are judged by."""

import itertools
import math

import numpy as np
import pytest

from analysis.figures import style
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured, Row
from experiments.clicks.dti.figures import dti_fair, dti_tuned
from experiments.clicks.dti.results import chosen
from tests.experiments.clicks.dti.made_up import rows_of, verdicts


def fair_rows(best):
    """Two seeds of `dti_fair` in a world in which DTI is best at this weight of a reset, in every layer."""
    rows = []
    points = [("dti", *each) for each in itertools.product((0.3, 1.0), (0.0, 1.0), (1.0, 4.0))]
    points += [("alibi", "", math.nan, slope) for slope in (1.0, 4.0)] + [
        (part, "", "", "") for part in ("naive", "sliding")
    ]
    for (part, ymax, early, slope), rate, seed in itertools.product(points, (0.002, 0.004), range(2)):
        auc = {"sliding": 0.85, "naive": 0.84, "alibi": 0.83}.get(part, 0.82)
        if part == "dti" and (ymax, early) == (best, 1.0):
            auc = 0.845
        auc += 0.003 * (slope == 4.0) - 0.002 * (rate == 0.002) + 1e-4 * seed
        place = {"part": part, "model.ymax": ymax, "model.early": early, "model.slope": slope}
        place |= {"train.learning_rate": rate, "seed": float(seed), "targets": 50.0}
        lucky = 0.01 * (ymax != best)  # on the test users, who choose nothing
        rows += [
            Row(place | {"answers": answers, "auc": auc + (lucky if answers == "sliding" else 0.0)})
            for answers in ("sliding", "streaming", "others")
        ]
    return rows


@pytest.mark.parametrize("best", [0.3, 1.0])
def test_settings_are_chosen_on_other_users(best):
    rows = fair_rows(best)
    part, place, number = chosen.best(rows, "dti", "alibi")
    assert part == "dti"
    assert dict(place) == {"model.ymax": best, "model.early": 1.0, "model.slope": 4.0, "train.learning_rate": 0.004}
    assert number.mean == pytest.approx(0.848 + 0.5e-4)
    _, place, _ = chosen.best(rows, "dti", **{"model.ymax": 0.3, "model.early": 0.0})
    assert dict(place) == {"model.ymax": 0.3, "model.early": 0.0, "model.slope": 4.0, "train.learning_rate": 0.004}
    _, place, _ = chosen.best(rows, "alibi")
    assert dict(place) == {"model.slope": 4.0, "train.learning_rate": 0.004}, "and no weight, which it has not"
    with pytest.raises(NotMeasured):
        chosen.best(rows, "split")


def test_the_figure_of_chosen_settings_has_every_one_and_the_best():
    with style.paper():
        figure = dti_fair.draw(Tables(clicks=fair_rows(0.3)))
        parts, weights = figure.axes
        lengths = [np.size(line.get_xdata()) for line in parts.lines if line.get_marker() == "|"]
        assert sorted(lengths) == [2, 2, 4, 16], "two rates; with two slopes; with two weights and in which layers"
        assert "ymax 0.3" in " ".join(each.get_text() for each in parts.texts)
        lines = {line.get_label(): np.asarray(line.get_ydata(), float) for line in weights.lines}
        assert len(lines) == 4
        np.testing.assert_allclose(lines["slope 4, every layer"], [0.84805, 0.82305])  # with the better rate
        np.testing.assert_allclose(lines["slope 1, last layer"], [0.82005, 0.82005])
    style.plt.close(figure)


def tuned_rows(helps):
    """Three seeds of `dti_tuned`: what the source and this lab expect is so (`helps`) or the reverse."""
    aucs = {"sliding": (0.83, 0.0), "naive": (0.81, 0.01), "split": (0.83, 0.0), "dti": (0.829, 0.002),
            "fewer": (0.829, 0.002), "whole": (0.81, 0.002)}  # fmt: skip
    if not helps:
        aucs |= {"naive": (0.835, -0.01), "dti": (0.8, 0.002), "fewer": (0.8, 0.002), "split": (0.8, 0.0)}
    longer = {f"longer_{part}": numbers for part, numbers in aucs.items()}
    return rows_of(lambda part: (aucs | longer)[part], part=[*aucs, *longer])


@pytest.mark.parametrize("helps", [True, False])
def test_verdicts_with_chosen_settings_follow_the_numbers(helps):
    rows = tuned_rows(helps)
    assert verdicts(dti_tuned.CLAIMS, rows) == [helps] * len(dti_tuned.CLAIMS)


@pytest.mark.parametrize(("rise", "enough"), [(-0.01, True), (0.0005, True), (0.005, False)])
def test_no_verdict_where_twice_the_steps_are_better(rise, enough):
    rows = tuned_rows(True)
    for row in rows:
        row["auc"] += rise * (row["part"] == "longer_dti")
    (condition,) = chosen.no_better_longer("dti").judge(Tables(clicks=rows))
    assert condition.met == enough
