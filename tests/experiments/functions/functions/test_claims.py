"""Claims of `functions` on tables that are made up."""

import pytest

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.in_memory import Tables
from experiments.functions.functions import results
from experiments.functions.functions.figures import (
    curriculum,
    curriculum_plateau,
    functions_linear,
    functions_network,
    functions_sparse,
    functions_tree,
)


class Directory:
    """A directory that has one table of errors: {learner: error after each number of examples}, d = 2, and a little of
    each seed's own."""

    def __init__(self, name="seeds", seeds=3, **learners):
        self.name = name
        self.rows = [
            {"task.noise": noise, "seed": float(seed), "examples": float(count), "learner": learner,
             "error": error * (1 + 0.001 * seed)}
            for noise in (0.0, 1.0)
            for seed in range(seeds)
            for learner, errors in learners.items()
            for count, error in enumerate(errors)
        ]  # fmt: skip

    def read_config(self):
        return {"task": {"input_dim": 2}}

    def has_table(self, name):
        return name == self.name

    def read_table(self, name):
        return self.rows


class OneRun(Directory):
    """Without a sweep over noise."""

    def __init__(self, **learners):
        super().__init__(**learners)
        self.rows = [row for row in self.rows if row["task.noise"] == 0]


BEST = [1.0, 0.5, 0.1, 0.05, 0.01, 0.01, 0.01]


def verdicts(claims, directory):
    """By the bounds alone; that one budget of training refutes nothing has a test of its own."""
    return [claim.evaluate(directory, {})["holds"] for claim in claims]


@pytest.mark.parametrize(
    ("factor", "expected"), [(1.05, [True, True, True]), (1.2, [True, False, True]), (8.0, [False, False, False])]
)
def test_linear_claims(factor, expected):
    errors = [factor * error for error in BEST]
    simple = [4 * error for error in BEST]
    directory = Directory(decoder=errors, optimal=BEST, averaging=simple, nearest=simple)
    assert verdicts(results.LINEAR, directory) == expected


NEARLY_EXACT = [0.01] * 7
OTHERS = ("optimal", "least_squares", "nearest", "lasso", "prompt_network", "greedy_tree", "tree_boosting", "sign_tree",
          "sign_boosting")  # fmt: skip
BESIDE_OTHERS = OneRun(decoder=[0.5] * 7, **dict.fromkeys(OTHERS, NEARLY_EXACT))
WITH_NOISE = Directory(decoder=[0.5] * 7, optimal=NEARLY_EXACT, averaging=NEARLY_EXACT, nearest=NEARLY_EXACT)


@pytest.mark.parametrize(
    ("figure", "criteria"),
    [
        (functions_linear, results.LINEAR),
        (functions_network, results.NETWORK),
        (functions_tree, results.TREE),
    ],
)
def test_one_budget_of_training_refutes_nothing(figure, criteria):
    """Other learners with an error of next to nothing, beside a decoder that has learned half of what there is."""
    directory = WITH_NOISE if figure is functions_linear else BESIDE_OTHERS
    for claim, criterion in zip(figure.CLAIMS, criteria, strict=True):
        assert criterion.evaluate(directory, {})["outcome"] == Outcome.DOES_NOT_HOLD
        verdict = claim.evaluate(directory, {})
        assert verdict["outcome"] == Outcome.NOT_REACHED
        assert "more training would not help: not measured (there is one number of steps" in verdict["why"]


def test_one_seed_gives_no_verdict():
    directory = Directory(seeds=1, decoder=BEST, optimal=BEST, averaging=BEST, nearest=BEST)
    assert verdicts(results.LINEAR, directory) == [None, None, None]


def test_contexts_that_are_too_short_give_none_either():
    directory = Directory(decoder=BEST[:5], optimal=BEST[:5], averaging=BEST[:5], nearest=BEST[:5])
    assert verdicts(results.LINEAR, directory)[1] is None


@pytest.mark.parametrize(("shift", "expected"), [(0.0, [True, True]), (0.3, [True, False]), (0.6, [False, False])])
def test_sparse_claims(shift, expected):
    lasso = [1.0, 0.4, 0.1, 0.05, 0.01]
    squares = [1.0, 0.9, 0.1, 0.0, 0.0]
    directory = OneRun(decoder=[error + shift for error in lasso], lasso=lasso, least_squares=squares)
    assert verdicts(results.SPARSE, directory) == expected


@pytest.mark.parametrize(("shift", "expected"), [(0.0, [True, True]), (0.1, [False, True]), (0.6, [False, False])])
def test_network_claims(shift, expected):
    network = [1.0, 0.8, 0.5, 0.4, 0.3]
    others = [1.0, 0.9, 0.8, 0.8, 0.8]
    directory = OneRun(
        decoder=[error + shift for error in network], prompt_network=network, least_squares=others, nearest=others
    )
    assert verdicts(results.NETWORK, directory) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [(0.19, [True, True, True]), (0.25, [True, True, False]), (0.5, [True, False, False]), (0.8, [False] * 3)],
)
def test_tree_claims(error, expected):
    raw = {"greedy_tree": [0.9] * 5, "tree_boosting": [0.7] * 5}
    on_signs = {"sign_tree": [0.4] * 5, "sign_boosting": [0.3] * 5}
    directory = OneRun(decoder=[error] * 5, optimal=[0.18] * 5, **raw, **on_signs)
    assert verdicts((*results.TREE, results.BAYES_OPTIMAL_TREES), directory) == expected


def learning(gained, later):
    """Two points: the other predictors gain up to .8 over the answer 0, the decoder this share of it, and in the second
    half of its training this share of what the whole training gains."""
    other = [1.0, 0.8, 0.5, 0.4, 0.2]
    directory = Directory(decoder=[1.0] * 4 + [1 - 0.8 * gained], nearest=[1.0] * 5, ridge=other)
    curves = [
        {"task.noise": noise, "step": step, "seed": seed, "loss.decoder": loss + 0.001 * seed}
        for noise in (0.0, 1.0)
        for step, loss in ((0.0, 2.0), (50.0, 1.0 + later), (100.0, 1.0))
        for seed in (0.0, 1.0, 2.0)
    ]
    return Learning(seeds=directory.rows, curves=curves)


class Learning(Tables):
    def read_config(self):
        return {"task": {"input_dim": 2}}


@pytest.mark.parametrize(
    ("gained", "later", "outcome"),
    [
        (0.9, 0.01, Outcome.HOLDS),
        (0.0, 0.0, Outcome.NOT_REACHED),  # an untrained decoder
        (0.4, 0.01, Outcome.NOT_REACHED),
        (0.9, 0.2, Outcome.NOT_REACHED),  # training was under way
    ],
)
def test_no_verdict_on_a_decoder_that_has_not_learned(gained, later, outcome):
    claim = Claim("It is so.", own(), "", lambda _: [above("number", exact(1.0))])
    for figure in (
        functions_linear,
        functions_sparse,
        functions_network,
        functions_tree,
        curriculum,
        curriculum_plateau,
    ):
        assert claim.evaluate(learning(gained, later), {}, figure.CONTROLS)["outcome"] == outcome
