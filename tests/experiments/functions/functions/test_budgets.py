"""The figures of sweeps over budgets of training, and their verdicts, on made-up tables."""

import math

import numpy as np
import pytest

from analysis.figures import style
from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.functions.functions.figures import functions_sparse, sparse_budgets, tree_budgets
from experiments.functions.functions.settings import Functions
from lab.config import points

D, STEPS, SEEDS = 4, (500.0, 1000.0, 2000.0), (40.0, 41.0, 42.0)
LEARNERS = ("decoder", "optimal", "least_squares", "lasso", "nearest")


class Swept(Tables):
    def read_config(self):
        return {"task": {"input_dim": D, "name": "sparse_linear"}, "seeds": len(SEEDS)}


def swept(slope, steps=STEPS):
    """The decoder's error, less `slope` per doubling of the steps; of other learners .1, and 1 without examples."""

    def error(learner, count, budget, seed):
        if count == 0:
            return 1.0
        if learner == "decoder":
            return 0.3 - slope * math.log2(budget / 2000) + 1e-3 * (seed - 41)
        return 0.1

    seeds = [
        {"train.steps": budget, "seed": seed, "examples": float(count), "learner": learner,
         "error": error(learner, count, budget, seed), "distance": error(learner, count, budget, seed) - 0.09}
        for budget in steps for seed in SEEDS for count in range(2 * D + 1) for learner in LEARNERS
    ]  # fmt: skip
    curves = [
        {"train.steps": budget, "step": share * budget, "seed": seed, "loss.decoder": loss + 1e-3 * seed}
        for budget in steps
        for share, loss in ((0, 1.0), (0.5, 0.5 + 0.2 * (budget < 2000)), (1, 0.5))
        for seed in SEEDS
    ]
    return Swept(seeds=seeds, curves=curves)


@pytest.mark.parametrize("figure", [sparse_budgets, tree_budgets])
@pytest.mark.parametrize(("slope", "outcome"), [(0.0, Outcome.DOES_NOT_HOLD), (0.05, Outcome.NOT_REACHED)])
def test_only_what_more_training_would_not_help_is_refuted(figure, slope, outcome):
    """Controls are those of the largest budget: smaller ones are not flat here."""
    verdicts = [claim.evaluate(swept(slope), {}, figure.CONTROLS) for claim in figure.CLAIMS]
    assert {verdict["outcome"] for verdict in verdicts} == {outcome}
    if outcome is Outcome.NOT_REACHED:
        assert all("bound reached at about" in verdict["why"] for verdict in verdicts)


@pytest.mark.parametrize("figure", [sparse_budgets, tree_budgets])
def test_errors_and_distances_are_drawn_against_the_budget(figure):
    with style.paper(), style.closed():
        drawn = figure.draw(swept(0.05))
        _, middle, right = drawn.axes[:3]
        lines = {line.get_label(): line for line in middle.get_lines()}
        assert drawn_at(lines["trained decoder"], 0) == list(STEPS)
        assert drawn_at(lines["trained decoder"], 1) == pytest.approx([0.4, 0.35, 0.3])
        assert drawn_at(lines["Bayes-optimal"], 1) == pytest.approx([0.1] * 3)
        assert drawn_at(right.get_lines()[0], 1) == pytest.approx([0.31, 0.26, 0.21])


def test_figures_of_one_budget_draw_the_largest_of_several():
    with style.paper(), style.closed():
        left, right = functions_sparse.draw(swept(0.05)).axes[:2]
        (decoder,) = [line for line in left.get_lines() if line.get_label() == "trained decoder"]
        assert drawn_at(decoder, 1)[1:] == pytest.approx([0.3] * 2 * D)
        assert max(drawn_at(right.get_lines()[0], 0)) == max(STEPS)


def test_one_budget_is_no_curve():
    with pytest.raises(NotMeasured, match=r"two numbers of train\.steps"):
        sparse_budgets.draw(swept(0.0, STEPS[:1]))


@pytest.mark.parametrize("name", ["sparse_budgets", "tree_budgets"])
def test_the_experiments_are_sweeps_over_three_budgets(name):
    few, many = (steps_of(f"experiment={name}", *words) for words in ([], ["size=long"]))
    assert len(few) == len(many) == 3
    assert min(many) > max(few)


def steps_of(*words):
    """The different numbers of steps of the runs of a command line."""
    settings = [run.settings for run in points.point([*words]).runs]
    return {each.train.steps for each in settings if isinstance(each, Functions)}


def drawn_at(line, axis):
    """The places of a line along one axis."""
    return np.asarray(line.get_ydata() if axis else line.get_xdata()).tolist()
