"""What the claims on training time until convergence are judged by, and their figure."""

import itertools

import numpy as np
import pytest

from analysis.figures import style
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured, Row
from experiments.clicks.dti.figures import dti_time
from experiments.clicks.dti.results.time import of_longest, seconds_until_converged, trainings_of
from tests.experiments.clicks.dti.made_up import uncontrolled

BAYES = 0.8
MILLISECONDS = {"sliding": 100.0, "naive": 20.0, "dti": 25.0, "split": 20.0}


def trainings(halves_of, device="a processor"):
    """Tables in which AUC lacks 4% of the best after `halves_of[part]` steps, and half as much with twice the steps."""
    clicks, spent = [], []
    for part, steps in itertools.product(MILLISECONDS, (125.0, 250.0, 500.0, 1000.0, 2000.0)):
        for seed, answers in itertools.product((0.0, 1.0, 2.0), ("sliding", "streaming", "bayes_window", "bayes_item")):
            lacks = 0.04 * halves_of[part] / steps * (1 + 0.01 * seed)
            auc = {"bayes_window": BAYES, "bayes_item": 0.6}.get(answers, BAYES * (1 - lacks))
            place = {"part": part, "train.steps": steps, "targets": 50.0, "seed": seed}
            clicks.append(Row(place | {"answers": answers, "auc": auc}))
        of_run = {"part": part, "train.steps": steps, "targets": 50.0, "models": 3.0, "steps": steps,
                  "targets_per_step": 500.0, "milliseconds": MILLISECONDS[part], "device": device}  # fmt: skip
        spent.append(Row(of_run))
    return Tables(clicks=clicks, spent=spent)


SAME = dict.fromkeys(MILLISECONDS, 62.5)  # all are converged between 250 and 1000 steps


def test_the_time_until_convergence_is_found_between_two_trainings():
    """What is lacking is a line in the logarithm of the time between 250 steps (1%) and 500 (.5%)."""
    converged = seconds_until_converged(trainings(SAME), "sliding")
    assert converged.by_seed[0.0] == pytest.approx(0.1 * 500)
    lacks = [1.01 * 0.005, 1.01 * 0.0025]  # of the seed that lacks 1% more, with 500 and 1,000 steps
    share = (lacks[0] - 0.005) / (lacks[0] - lacks[1])
    assert converged.by_seed[1.0] == pytest.approx(0.1 * np.exp(np.log(500) + share * np.log(2)))


@pytest.mark.parametrize(("of_sliding", "holds"), [(62.5, [True, False, True]), (156, [True, True, True])])
def test_verdicts_on_time_follow_the_numbers(of_sliding, holds):
    """With as many steps DTI gains the fourfold in time, .48 of the formula's, and with 2.5 times as many 1.2 of it."""
    tables = trainings(SAME | {"sliding": of_sliding})
    assert [claim.evaluate(tables, {}, ())["holds"] for claim in uncontrolled(dti_time.CLAIMS)] == holds


@pytest.mark.parametrize(("halves", "words"), [(10.0, "the shortest training"), (500.0, "no training")])
def test_no_time_where_no_training_or_the_shortest_has_converged(halves, words):
    with pytest.raises(NotMeasured, match=words):
        seconds_until_converged(trainings(dict.fromkeys(MILLISECONDS, halves)), "dti")


def test_the_first_training_that_is_near_enough_counts():
    """Also where a longer one lacks more again."""
    tables = trainings(SAME)
    for row in tables.tables["clicks"]:
        if row["train.steps"] == 2000.0 and row["answers"] == "sliding":
            row["auc"] = 0.7
    assert seconds_until_converged(tables, "sliding").by_seed[0.0] == pytest.approx(0.1 * 500)


def test_the_time_of_a_step_has_an_error_of_its_own():
    """Of five trainings, whose steps took 1, 1, 1, 1 and 1.5 times as long: a mean of 1.1 with an error of .1."""
    tables = trainings(SAME)
    assert seconds_until_converged(tables, "dti").common == 0
    for row in tables.tables["spent"]:
        if row["train.steps"] == 2000.0:
            row["milliseconds"] *= 1.5
    converged = seconds_until_converged(tables, "dti")
    assert converged.common == pytest.approx(0.1 / 1.1 * converged.mean)


def test_a_part_that_was_not_trained_is_not_measured():
    tables = trainings(SAME)
    tables.tables["spent"][:] = [row for row in tables.tables["spent"] if row["part"] != "dti"]
    with pytest.raises(NotMeasured):
        trainings_of(tables, "dti")


def test_times_of_two_devices_are_not_joined():
    tables = trainings(SAME)
    tables.tables["spent"][0]["device"] = "another"  # of sliding windows
    with pytest.raises(NotMeasured, match="several devices"):
        trainings_of(tables, "dti")


def test_the_control_looks_at_the_longest_training():
    tables = trainings(SAME)
    (control,) = of_longest("dti")
    assert control.judge(tables)[0].met
    for row in tables.tables["clicks"]:
        if row["train.steps"] == 2000.0 and row["answers"] == "streaming":
            row["auc"] = 0.61
    assert not control.judge(tables)[0].met


def test_the_figure_draws_every_way_of_training():
    with style.paper(), style.closed():
        lines, times = dti_time.draw(trainings(SAME | {"split": 500.0})).axes
    assert len(lines.get_legend_handles_labels()[1]) == 4
    assert len(times.get_yticklabels()) == 4
    assert len(times.lines) == 6  # the split window has not converged, so it has no time
