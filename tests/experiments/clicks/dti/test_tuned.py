"""The settings that `dti_tuned` judges are those that `dti_fair` has chosen, and its seeds are others."""

import pathlib

import pytest

from analysis.tables.columns import Table
from analysis.tables.select import table
from experiments.clicks.dti.results.chosen import LONGER, best
from experiments.clicks.dti.settings import Dti
from lab.config.points import point
from lab.runs.directory import RunDirectory

CHOOSING = RunDirectory(pathlib.Path(__file__).parents[4] / "docs" / "results" / "dti_fair")
PARTS = {
    "sliding": ("sliding",),
    "naive": ("naive",),
    "split": ("split",),
    "dti": ("dti", "steep"),
    "fewer": ("fewer",),
    "whole": ("dti", "fewer"),
}


def is_whole(row):
    """Whether a point has the whole reset in every layer; where no weight is named, it is the whole."""
    return row["model.early"] == 1.0 and not row["model.ymax"] < 1.0


def runs(experiment):
    """Return (place in the sweep, settings) of all points."""
    points = []
    for each in point([f"experiment={experiment}"]).runs:
        assert isinstance(each.settings, Dti)
        points.append((each.place, each.settings))
    return points


@pytest.mark.parametrize("name", PARTS)
def test_each_part_has_the_settings_that_are_best_on_the_users_that_choose(name):
    rows = table(CHOOSING, Table.CLICKS)
    part, place, _ = best([row for row in rows if name != "whole" or is_whole(row)], *PARTS[name])
    (chosen,) = (
        settings
        for where, settings in runs("dti_fair")
        if where["part"] == part and all(float(where[key]) == value for key, value in place)
    )
    (here,), (longer,) = (
        [settings for where, settings in runs("dti_tuned") if where["part"] == judged]
        for judged in (name, f"{LONGER}{name}")
    )
    assert (here.model, here.start, here.train.steps) == (chosen.model, chosen.start, chosen.train.steps)
    assert (longer.model, longer.start, longer.train.steps) == (chosen.model, chosen.start, 2 * chosen.train.steps)
    for each in (here, longer):
        for key in ("learning_rate", "optimizer", "users", "batch_size", "warmup", "init_scale"):
            assert getattr(each.train, key) == getattr(chosen.train, key), key


def test_other_seeds_judge_than_those_that_choose():
    choosing, judging = (
        {settings.seed + number for _, settings in runs(name) for number in range(settings.seeds)}
        for name in ("dti_fair", "dti_tuned")
    )
    assert choosing
    assert judging
    assert choosing.isdisjoint(judging)
