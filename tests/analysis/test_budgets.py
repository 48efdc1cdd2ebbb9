"""Verdicts over budgets of training, on tables whose numbers are a straight line in log2(steps)."""

import math

import pytest

from analysis.figures.budgets import AtBudget, controls_at_largest, crossing, over_budgets, slope_of
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import above, below
from analysis.tables.in_memory import Tables
from analysis.tables.select import table

STEPS = (1000.0, 2000.0, 4000.0)
BOUND = 0.1


def tables(number_of, steps=STEPS):
    """A table of a sweep with number_of(steps), and a little of each seed's own."""
    rows = [
        {"train.steps": count, "seed": seed, "error": number_of(count) + 1e-4 * seed}
        for count in steps
        for seed in (0.0, 1.0, 2.0)
    ]
    return Tables(seeds=rows)


def judged(directory, bound=below, at=BOUND):
    claim = Claim("It is so.", own(), "", lambda where: [bound("error", estimate(table(where, "seeds"), "error"), at)])
    (claim,) = over_budgets([claim], "seeds")
    return claim.evaluate(directory, {})


def test_what_levels_off_is_refuted_and_what_falls_is_not_reached():
    assert judged(tables(lambda steps: 0.3))["outcome"] == Outcome.DOES_NOT_HOLD
    verdict = judged(tables(lambda steps: 0.3 - 0.05 * math.log2(steps / 4000)))
    assert verdict["outcome"] == Outcome.NOT_REACHED
    assert "steps) is 0.2499" in verdict["why"]  # .05 of the distance .2001 to the bound
    assert "at about 6.4e+04 steps" in verdict["why"]  # four doublings of 4000
    assert judged(tables(lambda steps: 0.3 + 0.05 * math.log2(steps / 4000)))["outcome"] == Outcome.DOES_NOT_HOLD
    assert judged(tables(lambda steps: 0.05))["outcome"] == Outcome.HOLDS


def test_the_same_from_below():
    assert judged(tables(lambda steps: 0.3), above, 0.5)["outcome"] == Outcome.DOES_NOT_HOLD
    rising = judged(tables(lambda steps: 0.3 + 0.05 * math.log2(steps / 4000)), above, 0.5)
    assert rising["outcome"] == Outcome.NOT_REACHED
    assert "at about 6.4e+04 steps" in rising["why"]


@pytest.mark.parametrize("steps", [STEPS[:1], STEPS[:2]])
def test_fewer_than_three_budgets_refute_nothing(steps):
    verdict = judged(tables(lambda count: 0.3, steps))
    assert verdict["outcome"] == Outcome.NOT_REACHED
    assert "it takes 3" in verdict["why"]


def test_a_slope_that_seeds_do_not_agree_on_refutes_nothing():
    directory = tables(lambda steps: 0.3)
    for row in directory.tables["seeds"]:
        row["error"] += 0.04 * (row["seed"] - 1) * math.log2(row["train.steps"] / 4000)
    assert judged(directory)["outcome"] == Outcome.NOT_REACHED


def test_the_largest_budget_is_the_one_that_is_judged():
    """By the claim and by its controls; a table without budgets is that of one run."""
    directory = tables(lambda steps: 0.05 if steps == 4000 else 0.3)
    assert judged(directory)["outcome"] == Outcome.HOLDS
    control = Control("small", lambda where: [below("error", estimate(table(where, "seeds"), "error"), BOUND)])
    (at_largest,) = controls_at_largest([control], "seeds")
    assert [each.met for each in at_largest.judge(directory)] == [True]
    one = Tables(seeds=[{"seed": float(seed), "error": 0.05 + 1e-4 * seed} for seed in range(3)])
    assert judged(one)["outcome"] == Outcome.HOLDS
    assert {row["error"] for row in AtBudget(directory, 2000.0).read_table("seeds")} == {
        row["error"] for row in directory.tables["seeds"] if row["train.steps"] == 2000
    }
    assert all("train.steps" not in row for row in AtBudget(directory, 2000.0).read_table("seeds"))


def test_slope_and_crossing_of_a_straight_line():
    line = {
        steps: Estimate({0: 3 - 0.5 * math.log2(steps), 1: 2 + 0.25 * math.log2(steps)})
        for steps in (500.0, 1000.0, 8000.0)
    }
    slope = slope_of(line)
    assert slope.by_seed == pytest.approx({0: -0.5, 1: 0.25})
    assert crossing(1000.0, 0.3, 0.1) == pytest.approx(8000)
    assert crossing(1000.0, 0.3, 0.0) == crossing(1000.0, 0.3, -0.1) == math.inf
