"""Claims of `functions` on made-up tables: when there is no verdict. What the kept tables say of each is checked in
tests/analysis/test_published.py, and each bound in tests/experiments/test_results.py."""

import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from experiments.functions.functions import results
from experiments.functions.functions.figures import (
    functions_linear,
    functions_network,
    functions_tree,
)


class Directory(Tables):
    """One run with d = 2."""

    def read_config(self):
        return {"task": {"input_dim": 2}}


def seeds(noises, **learners):
    """Rows of seeds.csv of three seeds: {learner: error after each number of examples}, and a little of each seed's."""
    return [
        {"task.noise": noise, "seed": float(seed), "examples": float(count), "learner": learner,
         "error": error * (1 + 0.001 * seed)}
        for noise in noises
        for seed in range(3)
        for learner, errors in learners.items()
        for count, error in enumerate(errors)
    ]  # fmt: skip


OTHERS = ("optimal", "least_squares", "nearest", "lasso", "prompt_network", "greedy_tree", "tree_boosting", "sign_tree",
          "sign_boosting", "averaging")  # fmt: skip


@pytest.mark.parametrize(
    ("figure", "criteria", "noises"),
    [
        (functions_linear, results.LINEAR, (0.0, 1.0)),
        (functions_network, results.NETWORK, (0.0,)),
        (functions_tree, results.TREE, (0.0,)),
    ],
)
def test_one_budget_of_training_refutes_nothing(figure, criteria, noises):
    """Other learners with an error of next to nothing, beside a decoder that has learned half of what there is."""
    directory = Directory(seeds=seeds(noises, decoder=[0.5] * 7, **dict.fromkeys(OTHERS, [0.01] * 7)))
    for claim, criterion in zip(figure.CLAIMS, criteria, strict=True):
        assert criterion.evaluate(directory, {})["outcome"] == Outcome.DOES_NOT_HOLD
        verdict = claim.evaluate(directory, {})
        assert verdict["outcome"] == Outcome.NOT_REACHED
        assert "more training would not help: not measured (there is one number of steps" in verdict["why"]


def test_contexts_that_are_too_short_give_no_verdict():
    directory = Directory(seeds=seeds((0.0, 1.0), decoder=[0.01] * 5, optimal=[0.01] * 5))
    assert results.LINEAR[1].evaluate(directory, {})["why"] == "contexts end before 3 d = 6 examples"
