"""Verdicts of recommenders on tables whose order is known, and controls."""

import dataclasses
import itertools
import math

import pytest

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.in_memory import Tables
from experiments.recommendation.language_recommend import results as language
from experiments.recommendation.language_recommend.results import ALONE, BEHIND_OTHERS, BEHIND_OWN, PRIOR
from experiments.recommendation.recommend.figures import recommend_log, recommend_searched
from experiments.recommendation.recommend.results import HEADLINES

FITTED = ["markov", "gru", "sasrec"]
TRAINED = ["low_rank", "descent", "gru", "sasrec"]
BY_WORTH = ["popularity", "markov", *TRAINED]


def differences(values, pairs, kinds):
    """Rows of differences.csv of three seeds, in one split."""
    return [
        {"split": "leave_one_out", "candidates": kind, "seed": seed, "learner": a, "other": b,
         "difference": (values[a] - values[b]) * (1 + 0.01 * seed), "difference.stderr": 1e-4}
        for kind in kinds for a, b in pairs for seed in range(3)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "kinds", "order", "holds"),
    [
        (recommend_log.CLAIMS, ("sampled", "all"), BY_WORTH, [True, True]),
        (recommend_log.CLAIMS, ("sampled", "all"), BY_WORTH[::-1], [False, False]),
        # of sampled candidates alone: a language model has no row for all items
        (language.CLAIMS, ("sampled",), [PRIOR, *FITTED, ALONE, BEHIND_OTHERS, BEHIND_OWN], [True, True, True]),
        (language.CLAIMS, ("sampled",), [PRIOR, ALONE, BEHIND_OWN, BEHIND_OTHERS, *FITTED], [True, False, False]),
        (language.CLAIMS, ("sampled",), [ALONE, BEHIND_OTHERS, "gru", "sasrec", BEHIND_OWN, PRIOR, "markov"],
         [True, True, False]),
    ],
)  # fmt: skip
def test_verdicts_follow_the_numbers(claims, kinds, order, holds):
    values = {name: 0.2 + 0.05 * place for place, name in enumerate(order)}
    tables = Tables(differences=differences(values, [*itertools.combinations(order, 2)], kinds))
    uncontrolled = [dataclasses.replace(claim, controls=()) for claim in claims]
    assert [claim.evaluate(tables, {})["holds"] for claim in uncontrolled] == holds


@pytest.mark.parametrize(("also", "error"), [([], math.hypot(0.001, 0.03)), (["truth"], 0.001)])
def test_the_error_of_a_real_log_is_over_its_users_too(also, error):
    """Two seeds are .002 apart, and have an error of .03 over users. Of a log that is drawn each seed has its own."""
    learners = [
        {"seed": seed, "split": "leave_one_out", "candidates": "sampled", "learner": name,
         "ndcg_10": 0.2 + 0.002 * seed, "ndcg_10.stderr": 0.03}
        for name in ("popularity", *also) for seed in range(2)
    ]  # fmt: skip
    number = HEADLINES[0].quantity.numbers(Tables(learners=learners))["popularity"]
    assert number.mean == pytest.approx(0.201)
    assert number.stderr == pytest.approx(error)


@pytest.mark.parametrize(
    ("above_popularity", "later", "outcome"),
    [
        (0.1, 0.01, Outcome.HOLDS),
        (0.0, 0.01, Outcome.NOT_REACHED),
        (-0.2, 0.0, Outcome.NOT_REACHED),  # an untrained recommender
        (0.1, 0.3, Outcome.NOT_REACHED),  # that gains this share in the second half of training
    ],
)
def test_no_verdict_on_recommenders_that_have_not_learned(above_popularity, later, outcome):
    values = dict.fromkeys(TRAINED, above_popularity) | {"popularity": 0.0}
    pairs = [("popularity", name) for name in TRAINED]
    curves = [
        {"split": "leave_one_out", "seed": seed, "learner": name, "step": step, "loss": loss + 0.001 * seed}
        for name in TRAINED
        for step, loss in ((0.0, 4.0), (50.0, 3.0 + later), (100.0, 3.0))
        for seed in (0.0, 1.0, 2.0)
    ]
    tables = Tables(differences=differences(values, pairs, ("sampled", "all")), curves=curves)
    controls = {claim.controls for each in (recommend_log, recommend_searched) for claim in each.CLAIMS}
    assert None not in controls
    for each in controls:
        claim = Claim("It is so.", own(), "", lambda _: [above("number", exact(1.0))], controls=each)
        assert claim.evaluate(tables, {})["outcome"] == outcome
